import type { BorrowedMessage } from "./borrowed-message.ts";
import { addMessage, SubjectBook, type SubjectCounters } from "./broker-counters.ts";
import { readableText } from "./broker-protocol.ts";
import type { ClientSubscription, LinkTarget, Subscriber } from "./broker-subscriber.ts";
import { SubscriptionTree } from "./broker-subscriptions.ts";
import type { Envelope } from "./parser/broker-operations.ts";

export interface BrokerSubjectStats {
  subject: string;
  msgs: number;
  bytes: number;
  last_bytes: number;
  /** Ids of connected clients that have published it. */
  publishers: number[];
  /** Subscriptions that it currently reaches. */
  subscribers: number;
}

const NO_QUEUES: readonly string[] = [];

/** Delivers messages to the subscribers of their subjects, and counts them. */
export class BrokerRouter {
  readonly tree = new SubscriptionTree<ClientSubscription>();
  readonly #book = new SubjectBook();
  /** Links without a connection, which count the messages that they miss. */
  readonly absent = new Set<{ miss(envelope: Envelope): void }>();

  /**
   * False when there are no subscribers. Each other broker gets the message once, with the queue groups that have no member here; it
   * chooses a member of each.
   */
  route(publisher: Subscriber, envelope: Envelope, message: BorrowedMessage): boolean {
    const { subject, size, queues } = envelope;
    const { plain, groups } = this.tree.match(subject);
    const account = this.#book.account(subject);
    this.#count(publisher, account, size);
    if (this.absent.size > 0) for (const link of this.absent) link.miss(envelope);
    // There is almost always at most one link.
    let first: LinkTarget | null = null;
    let chosen = NO_QUEUES;
    let others: Map<LinkTarget, readonly string[]> | null = null;
    let interest = false;
    let reached = 0;
    let lost = 0;
    for (const subscription of plain) {
      if (!wants(subscription, publisher, subject)) continue;
      interest = true;
      const { link } = subscription.client;
      if (link === null) {
        reached++;
        if (!subscription.client.deliver(subscription, envelope, message, publisher)) lost++;
      } else if (first === null) first = link;
      else if (first !== link) others = (others ?? new Map<LinkTarget, readonly string[]>()).set(link, NO_QUEUES);
    }
    for (const group of groups) {
      const queue = group[0]?.queue ?? "";
      // The other broker has named the groups for which this one chooses a member.
      if (queues !== undefined && !queues.includes(queue)) continue;
      const outcome = deliverToOne(group, publisher, envelope, message);
      if (outcome !== "none") interest = true;
      if (outcome === "delivered") {
        reached++;
        continue;
      }
      if (outcome === "lost") lost++;
      const link = chooseLink(group, publisher, subject);
      if (link === null) continue;
      interest = true;
      first ??= link;
      if (first === link) chosen = [...chosen, queue];
      else others = (others ?? new Map<LinkTarget, readonly string[]>()).set(link, [...(others?.get(link) ?? NO_QUEUES), queue]);
    }
    if (publisher.link !== null) {
      addMessage(account.foreign, size);
      if (reached > 0 && lost === 0) addMessage(account.arrived, size);
    }
    if (first !== null) first.send(envelope, chosen, message, publisher);
    if (others !== null) for (const [link, queues] of others) link.send(envelope, queues, message, publisher);
    return interest;
  }

  /** The most bytes of a topic that wait for one receiver. */
  waiting(publisher: Subscriber, subject: string): number {
    const { plain, groups } = this.tree.match(subject);
    let most = 0;
    for (const receivers of [plain, ...groups])
      for (const { client } of receivers) most = Math.max(most, client.connection?.queued(publisher, subject) ?? 0);
    return most;
  }

  /** Messages that had been queued for a subscriber were dropped. */
  lost(publisher: Subscriber, subject: string, msgs: number, bytes: number): void {
    if (publisher.link === null) return;
    const { arrived } = this.#book.account(subject);
    arrived.msgs = Math.max(0, arrived.msgs - msgs);
    arrived.bytes = Math.max(0, arrived.bytes - bytes);
  }

  /** Messages have left for another broker, or were dropped on the way. */
  crossed(subject: string, msgs: number, bytes: number): void {
    const { crossing } = this.#book.account(subject);
    crossing.msgs += msgs;
    crossing.bytes += bytes;
  }

  #count({ id, published }: Subscriber, account: SubjectCounters, bytes: number): void {
    account.msgs++;
    account.bytes += bytes;
    account.last_bytes = bytes;
    if (account.publishers.has(id)) return;
    account.publishers.add(id);
    published.push(account);
  }

  /** Live counters of all subjects. */
  counted(): ReadonlyMap<string, Readonly<SubjectCounters>> {
    return this.#book.accounts;
  }

  subjects(): BrokerSubjectStats[] {
    return [...this.#book.accounts].map(([subject, { publishers, msgs, bytes, last_bytes }]) => {
      const { plain, groups } = this.tree.match(subject);
      const subscribers = plain.length + groups.reduce((sum, group) => sum + group.length, 0);
      return { subject: readableText(subject), msgs, bytes, last_bytes, publishers: [...publishers], subscribers };
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

/** "lost": there are members, and none could take it. */
function deliverToOne(
  group: readonly ClientSubscription[],
  publisher: Subscriber,
  envelope: Envelope,
  message: BorrowedMessage,
): "delivered" | "lost" | "none" {
  const first = Math.floor(Math.random() * group.length);
  let outcome: "lost" | "none" = "none";
  for (let offset = 0; offset < group.length; offset++) {
    const member = group[(first + offset) % group.length] as ClientSubscription;
    if (member.client.link !== null || !wants(member, publisher, envelope.subject)) continue;
    // If a member cannot take the message, the next one gets it.
    if (member.client.deliver(member, envelope, message, publisher)) return "delivered";
    outcome = "lost";
  }
  return outcome;
}

/** Chooses a broker at random, weighted by its number of members; preferably one that can take the message. */
function chooseLink(group: readonly ClientSubscription[], publisher: Subscriber, subject: string): LinkTarget | null {
  const members = group.flatMap((subscription) => {
    const { link } = subscription.client;
    return link !== null && wants(subscription, publisher, subject) ? { link, weight: link.weightOf(subscription) } : [];
  });
  const ready = members.filter(({ link }) => link.canTake());
  const candidates = ready.length > 0 ? ready : members;
  let left = Math.random() * candidates.reduce((sum, { weight }) => sum + weight, 0);
  for (const { link, weight } of candidates) {
    left -= weight;
    if (left < 0) return link;
  }
  return candidates.at(-1)?.link ?? null;
}
