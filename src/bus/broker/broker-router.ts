import type { BorrowedMessage } from "./borrowed-message.ts";
import { count, SubjectBook, type SubjectCounters } from "./broker-counters.ts";
import type { Envelope } from "./broker-parser.ts";
import { readableText } from "./broker-protocol.ts";
import type { ClientSubscription, Subscriber } from "./broker-subscriber.ts";
import { type Match, SubscriptionTree } from "./broker-subscriptions.ts";

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

/** Where a subject goes, and the account that counts it. */
interface Routed extends Match<ClientSubscription> {
  account: SubjectCounters;
  /** Of the book of accounts. */
  generation: number;
  /** The last publisher, and its count of messages to this subject. */
  publisher: number;
  published: { msgs: number };
}

/** Delivers messages to the subscribers of their subjects, and counts them. */
export class BrokerRouter {
  readonly tree = new SubscriptionTree<ClientSubscription>();
  readonly #book = new SubjectBook();

  /** False when there are no subscribers. */
  route(publisher: Subscriber, envelope: Envelope, message: BorrowedMessage): boolean {
    const { subject, size } = envelope;
    const routed = this.#match(subject);
    const { plain, groups, account } = routed;
    count(account, size);
    if (routed.publisher !== publisher.id) this.#setPublisher(routed, publisher);
    routed.published.msgs++;
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

  /** The account of a subject is kept with its subscribers: one look-up for both. */
  #match(subject: string): Routed {
    const found: Match<ClientSubscription> & Partial<Routed> = this.tree.match(subject);
    const { generation } = this.#book;
    if (found.generation !== generation) {
      found.account = this.#book.account(subject);
      found.generation = this.#book.generation;
      found.publisher = 0;
      found.published = { msgs: 0 };
    }
    return found as Routed;
  }

  #setPublisher(routed: Routed, { id, published }: Subscriber): void {
    const { publishers } = routed.account;
    let entry = publishers.get(id);
    if (!entry) {
      entry = { msgs: 0 };
      publishers.set(id, entry);
      published.push(routed.account);
    }
    routed.publisher = id;
    routed.published = entry;
  }

  subjects(): BrokerSubjectStats[] {
    return [...this.#book.entries()].map(([subject, { publishers, ...counters }]) => {
      const { plain, groups } = this.tree.match(subject);
      const subscribers = plain.length + groups.reduce((sum, group) => sum + group.length, 0);
      return { subject: readableText(subject), ...counters, publishers: [...publishers.keys()], subscribers };
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
