import type { BorrowedMessage } from "./borrowed-message.ts";
import { SubjectBook, type SubjectCounters } from "./broker-counters.ts";
import type { Envelope } from "./broker-parser.ts";
import { readableText } from "./broker-protocol.ts";
import type { ClientSubscription, Subscriber } from "./broker-subscriber.ts";
import { SubscriptionTree } from "./broker-subscriptions.ts";

export interface BrokerSubjectStats {
  subject: string;
  msgs: number;
  bytes: number;
  last_bytes: number;
  /** Ids of connected clients that have published it. */
  publishers: number[];
  /** Subscriptions that it reaches now. */
  subscribers: number;
}

/** Delivers messages to the subscribers of their subjects, and counts them. */
export class BrokerRouter {
  readonly tree = new SubscriptionTree<ClientSubscription>();
  readonly #book = new SubjectBook();

  /** False when there are no subscribers. */
  route(publisher: Subscriber, envelope: Envelope, message: BorrowedMessage): boolean {
    const { subject, size } = envelope;
    const { plain, groups } = this.tree.match(subject);
    this.#count(publisher, this.#book.account(subject), size);
    let interest = false;
    for (const subscription of plain) {
      if (!wants(subscription, publisher, subject)) continue;
      interest = true;
      subscription.client.deliver(subscription, envelope, message);
    }
    for (const group of groups) {
      const first = Math.floor(Math.random() * group.length);
      for (let offset = 0; offset < group.length; offset++) {
        const member = group[(first + offset) % group.length] as ClientSubscription;
        if (!wants(member, publisher, subject)) continue;
        interest = true;
        // A member that cannot take it leaves it to the next.
        if (member.client.deliver(member, envelope, message)) break;
      }
    }
    return interest;
  }

  #count({ id, published }: Subscriber, account: SubjectCounters, bytes: number): void {
    account.msgs++;
    account.bytes += bytes;
    account.last_bytes = bytes;
    if (account.publishers.has(id)) return;
    account.publishers.add(id);
    published.push(account);
  }

  subjects(): BrokerSubjectStats[] {
    return [...this.#book.entries()].map(([subject, { publishers, ...counters }]) => {
      const { plain, groups } = this.tree.match(subject);
      const subscribers = plain.length + groups.reduce((sum, group) => sum + group.length, 0);
      return { subject: readableText(subject), ...counters, publishers: [...publishers], subscribers };
    });
  }

  /** A client that is gone. */
  forget({ id, published }: Subscriber): void {
    this.#book.forget(id, published);
  }
}

/** It may have ended while the message was being delivered to other subscribers. */
function wants(subscription: ClientSubscription, publisher: Subscriber, subject: string): boolean {
  const { client } = subscription;
  if ((client === publisher && !client.echo) || subscription.isEnded) return false;
  return !subscription.isFiltered || client.mayReceive(subject);
}
