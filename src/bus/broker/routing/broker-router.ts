import type { BorrowedMessage } from "../borrowed-message.ts";
import { SubjectBook, type SubjectCounters } from "../broker-counters.ts";
import { readableText } from "../broker-protocol.ts";
import type { ClientSubscription, Subscriber } from "../broker-subscriber.ts";
import { SubscriptionTree } from "../broker-subscriptions.ts";
import type { BrokerTurns } from "../broker-turns.ts";
import type { SubjectState } from "../handover/subject-state.ts";
import type { Envelope } from "../parser/broker-operations.ts";
import { Fanout, receives } from "./fanout.ts";
import { SlicedDeliveries } from "./sliced-deliveries.ts";

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

/** A message to more receivers than this is delivered in slices. */
const MAX_RECEIVERS_AT_ONCE = 512;

/** Delivers messages to the subscribers of their subjects, and counts them. */
export class BrokerRouter {
  readonly tree = new SubscriptionTree<ClientSubscription>();
  readonly #book = new SubjectBook();
  /** Messages to many receivers that are still being delivered. */
  readonly deliveries: SlicedDeliveries;
  /** Links without a connection, which count the messages that they miss. */
  readonly absent = new Set<{ miss(envelope: Envelope): void }>();

  constructor(turns: BrokerTurns) {
    this.deliveries = new SlicedDeliveries(turns);
  }

  /** Delivers a message to its subscribers. Returns false if there are none. */
  route(publisher: Subscriber, envelope: Envelope, message: BorrowedMessage): boolean {
    const { subject, size } = envelope;
    const match = this.tree.match(subject);
    const groups = this.tree.groupsOf(match);
    const account = this.#book.account(subject);
    this.#count(publisher, account, size);
    if (this.absent.size > 0) for (const link of this.absent) link.miss(envelope);
    const { literal, wild } = match;
    // Almost every message has few receivers.
    const isShort = wild.length === 0 && groups.length === 0 && (literal === null || literal.plain === null || literal.plain.size === 1);
    if (isShort && publisher.link === null && !this.deliveries.isPending(publisher)) {
      const only = literal?.plain?.at(0);
      if (only === undefined || !receives(only, publisher, subject)) return false;
      if (only.client.link === null) {
        only.client.deliver(only, envelope, message, publisher);
        return true;
      }
    }
    const isLong = !isShort && match.plainSize + groups.length > MAX_RECEIVERS_AT_ONCE;
    if (isLong || this.deliveries.isPending(publisher))
      return this.deliveries.begin(publisher, envelope, message, { plain: [...match.plainLists()], groups }, account);
    const fanout = new Fanout(publisher, envelope, message);
    if (literal !== null && literal.plain !== null) for (const subscription of literal.plain.all()) fanout.plain(subscription);
    for (const { plain } of wild) if (plain !== null) for (const subscription of plain.all()) fanout.plain(subscription);
    for (const group of groups) fanout.group(group);
    fanout.finish(account);
    return fanout.interest;
  }

  /** Maximum number of bytes of a topic that wait for one receiver. */
  waiting(publisher: Subscriber, subject: string): number {
    const match = this.tree.match(subject);
    let most = 0;
    const check = (receivers: Iterable<ClientSubscription>) => {
      for (const { client } of receivers) most = Math.max(most, client.connection?.queued(publisher, subject) ?? 0);
    };
    for (const receivers of match.plainLists()) check(receivers);
    for (const { parts } of this.tree.groupsOf(match))
      for (const { local, remote } of parts) for (const members of [local, remote]) check(members?.all() ?? []);
    return most;
  }

  /** Corrects the count of messages from another broker that were dropped after they had been queued. */
  lost(publisher: Subscriber, subject: string, msgs: number, bytes: number): void {
    if (publisher.link === null) return;
    const { arrived } = this.#book.account(subject);
    arrived.msgs = Math.max(0, arrived.msgs - msgs);
    arrived.bytes = Math.max(0, arrived.bytes - bytes);
  }

  /** Counts messages that have left for another broker, or were dropped on the way. */
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
      const match = this.tree.match(subject);
      let subscribers = match.plainSize;
      for (const { parts } of this.tree.groupsOf(match)) for (const { size } of parts) subscribers += size;
      return { subject: readableText(subject), msgs, bytes, last_bytes, publishers: [...publishers], subscribers };
    });
  }

  /** Counters of all subjects, for a router that continues them. */
  handOver(): SubjectState[] {
    return this.#book.handOver();
  }

  adopt(subjects: readonly SubjectState[], clients: ReadonlyMap<number, Subscriber>): void {
    this.#book.adopt(subjects, clients);
  }

  /** Forgets a closed client. */
  forget({ id, published }: Subscriber): void {
    this.#book.forget(id, published);
  }
}
