import type { BorrowedMessage } from "../borrowed-message.ts";
import { addMessage, type SubjectCounters } from "../broker-counters.ts";
import type { ClientSubscription, LinkTarget, Subscriber } from "../broker-subscriber.ts";
import type { Envelope } from "../parser/broker-operations.ts";
import type { MatchedGroup } from "../subscriptions/match.ts";

/** Maximum number of members of a queue group that one message is offered to. */
const MAX_TRIED_MEMBERS = 64;
const NO_QUEUES: readonly string[] = [];

/**
 * The delivery of one message. Each other broker gets it once, with the queue groups that have no member here; it chooses a member of
 * each.
 */
export class Fanout {
  /** Whether there is interest in the message. */
  interest = false;
  readonly #publisher: Subscriber;
  readonly #envelope: Envelope;
  readonly #message: BorrowedMessage;
  // There is almost always at most one link.
  #first: LinkTarget | null = null;
  #chosen = NO_QUEUES;
  #others: Map<LinkTarget, readonly string[]> | null = null;
  #reached = 0;
  #lost = 0;

  constructor(publisher: Subscriber, envelope: Envelope, message: BorrowedMessage) {
    this.#publisher = publisher;
    this.#envelope = envelope;
    this.#message = message;
  }

  plain(subscription: ClientSubscription): void {
    if (!this.receives(subscription)) return;
    this.interest = true;
    const { link } = subscription.client;
    if (link === null) {
      this.#reached++;
      if (!subscription.client.deliver(subscription, this.#envelope, this.#message, this.#publisher)) this.#lost++;
    } else if (this.#first === null) this.#first = link;
    else if (this.#first !== link) {
      this.#others ??= new Map();
      if (!this.#others.has(link)) this.#others.set(link, NO_QUEUES);
    }
  }

  group(group: MatchedGroup<ClientSubscription>): void {
    const { queue } = group;
    const { queues } = this.#envelope;
    // The other broker has named the groups for which this one chooses a member.
    if (queues !== undefined && !queues.includes(queue)) return;
    const outcome = this.#deliverToOne(group);
    if (outcome !== "none") this.interest = true;
    if (outcome === "delivered") {
      this.#reached++;
      return;
    }
    if (outcome === "lost") this.#lost++;
    const link = this.#chooseLink(group);
    if (link === null) return;
    this.interest = true;
    this.#first ??= link;
    if (this.#first === link) this.#chosen = [...this.#chosen, queue];
    else {
      this.#others ??= new Map();
      this.#others.set(link, [...(this.#others.get(link) ?? NO_QUEUES), queue]);
    }
  }

  /** Sends to the other brokers, and counts. */
  finish(account: SubjectCounters): void {
    const { size } = this.#envelope;
    if (this.#publisher.link !== null) {
      addMessage(account.foreign, size);
      if (this.#reached > 0 && this.#lost === 0) addMessage(account.arrived, size);
    }
    if (this.#first !== null) this.#first.send(this.#envelope, this.#chosen, this.#message, this.#publisher);
    if (this.#others !== null) for (const [link, queues] of this.#others) link.send(this.#envelope, queues, this.#message, this.#publisher);
  }

  receives(subscription: ClientSubscription): boolean {
    return receives(subscription, this.#publisher, this.#envelope.subject);
  }

  /** Delivers to one member. "lost": there are members, and none could accept the message. */
  #deliverToOne({ parts }: MatchedGroup<ClientSubscription>): "delivered" | "lost" | "none" {
    let size = 0;
    for (const { local } of parts) size += local?.size ?? 0;
    const first = Math.floor(Math.random() * size);
    let tries = MAX_TRIED_MEMBERS;
    let outcome: "lost" | "none" = "none";
    for (let offset = 0; offset < size && tries > 0; offset++) {
      const member = localMember(parts, (first + offset) % size);
      // Many members of a client that is gone may be about to be removed.
      if (member === undefined || member.isEnded) continue;
      tries--;
      if (!this.receives(member)) continue;
      // If a member cannot accept the message, the next one gets it.
      if (member.client.deliver(member, this.#envelope, this.#message, this.#publisher)) return "delivered";
      outcome = "lost";
    }
    return outcome;
  }

  /** Chooses a broker at random, weighted by its number of members; preferably one that can accept the message. */
  #chooseLink({ parts }: MatchedGroup<ClientSubscription>): LinkTarget | null {
    const members: { link: LinkTarget; weight: number }[] = [];
    for (const { remote } of parts)
      for (const subscription of remote?.all() ?? []) {
        const { link } = subscription.client;
        if (link !== null && this.receives(subscription)) members.push({ link, weight: link.weightOf(subscription) });
      }
    const ready = members.filter(({ link }) => link.canTake());
    const candidates = ready.length > 0 ? ready : members;
    let left = Math.random() * candidates.reduce((sum, { weight }) => sum + weight, 0);
    for (const { link, weight } of candidates) {
      left -= weight;
      if (left < 0) return link;
    }
    return candidates.at(-1)?.link ?? null;
  }
}

/** Whether a subscription gets the message. It may have ended while the message was being delivered to other subscribers. */
export function receives(subscription: ClientSubscription, publisher: Subscriber, subject: string): boolean {
  const { client } = subscription;
  if ((client === publisher && !client.echo) || subscription.isEnded) return false;
  return !subscription.isFiltered || client.mayReceive(subject);
}

function localMember(parts: MatchedGroup<ClientSubscription>["parts"], index: number): ClientSubscription | undefined {
  let left = index;
  for (const { local } of parts) {
    if (local === null) continue;
    if (left < local.size) return local.at(left);
    left -= local.size;
  }
  return undefined;
}
