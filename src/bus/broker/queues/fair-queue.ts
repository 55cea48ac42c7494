import type { BorrowedMessage } from "../borrowed-message.ts";
import type { Subscriber } from "../broker-subscriber.ts";
import { FairTurns } from "./fair-turns.ts";
import type { Taken } from "./message-queue.ts";
import { FLOW_OVERHEAD_BYTES, type Flow, PublisherFlows, type TopicFlow } from "./publisher-flows.ts";
import type { TopicPolicy } from "./topic-policy.ts";

/** Maximum number of evictions from one flow before the largest one is searched again. */
const MAX_EVICTED_AT_ONCE = 64;

export interface FairQueueOptions {
  /** Returns the policy of a flow; null: the default. Called when the first message of the flow is queued. */
  policyOf(subject: string): TopicPolicy | null;
  /** Called when messages of a flow left the queue to be sent. */
  sent(flow: Flow, taken: Taken): void;
  /** Called when messages of a flow were lost. */
  dropped(flow: Flow, msgs: number, payload: number): void;
  /** Called when the queue's `bytes` changed by this number. */
  grown(bytes: number): void;
}

interface Victim {
  readonly flow: TopicFlow;
  readonly owner: PublisherFlows;
  /** Number of evictions until a victim is chosen again. */
  left: number;
  /** Bytes of the publisher with the second most bytes. */
  readonly floor: number;
}

/** Messages and bytes of their payloads. */
export interface Waiting {
  msgs: number;
  bytes: number;
}

/**
 * Messages that wait for one receiver. Publishers take turns by bytes, and so do the topics of each, so that one large topic delays no
 * other. If memory is short, the oldest message of the largest topic of the publisher with the most bytes is dropped.
 */
export class FairQueue {
  /** Approximate memory use, bytes. */
  bytes = 0;
  count = 0;
  readonly #options: FairQueueOptions;
  readonly #publishers = new Map<string | number, PublisherFlows>();
  readonly #turns = new FairTurns<PublisherFlows>();
  #victim: Victim | null = null;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  /** `time`: when the message was queued, by the monotonic clock in milliseconds. */
  add(flow: Flow, head: string | Buffer, message: BorrowedMessage, payload: number, time = performance.now()): void {
    const { publisher, subject } = flow;
    const owner = this.#publishers.get(publisher.fairKey) ?? this.#begin(publisher);
    const before = owner.bytes;
    const topic = owner.get(subject) ?? owner.begin(flow, this.#options.policyOf(subject));
    const { bytes } = topic;
    topic.queue.add(head, message, payload, time);
    owner.bytes += topic.bytes - bytes;
    this.count++;
    this.#grow(owner.bytes - before);
  }

  /** Moves about `limit` bytes of messages to `output`, in turns. */
  take(limit: number, output: Buffer[]): void {
    let left = limit;
    while (left > 0) {
      const owner = this.#turns.next();
      if (owner === null) return;
      const before = owner.bytes;
      const topic = owner.next();
      if (topic === null) {
        // The empty topics of this publisher were removed.
        this.#grow(owner.bytes - before);
        if (this.#turns.isEmpty(owner)) this.#end(owner);
        continue;
      }
      this.#expire(topic, owner);
      if (topic.count > 0) left -= this.#send(topic, owner, left, output);
      this.#grow(owner.bytes - before);
    }
  }

  /** Drops the oldest message of the publisher with the most bytes; false: no more than `kept` messages are left. */
  evict(kept: number): boolean {
    if (this.count <= kept) return false;
    const victim = this.#victim;
    const isStill = victim !== null && victim.left > 0 && victim.flow.count > 0 && victim.owner.bytes >= victim.floor;
    const chosen = isStill ? victim : this.#choose();
    this.#victim = chosen;
    if (chosen === null) return false;
    chosen.left--;
    const before = chosen.owner.bytes;
    this.#drop(chosen.flow, chosen.owner);
    this.#grow(chosen.owner.bytes - before);
    return true;
  }

  /** Number of queued bytes of one topic. */
  bytesOf({ fairKey }: Subscriber, subject: string): number {
    return this.#publishers.get(fairKey)?.get(subject)?.bytes ?? 0;
  }

  /** Number of queued bytes of one publisher. */
  bytesFrom({ fairKey }: Subscriber): number {
    return this.#publishers.get(fairKey)?.bytes ?? 0;
  }

  /** The queues of the topics that have messages. */
  *flows(): Generator<TopicFlow> {
    for (const { topics } of this.#publishers.values()) for (const topic of topics) if (topic.count > 0) yield topic;
  }

  /** Queued messages by subject. */
  waiting(): Map<string, Waiting> {
    const found = new Map<string, Waiting>();
    for (const { topics } of this.#publishers.values())
      for (const { subject, queue } of topics) {
        const known = found.get(subject);
        found.set(subject, { msgs: (known?.msgs ?? 0) + queue.count, bytes: (known?.bytes ?? 0) + queue.payload });
      }
    return found;
  }

  /** Drops all queued messages: the receiver is gone. */
  clear(): void {
    for (const { topics } of this.#publishers.values())
      for (const flow of topics) {
        let payload = 0;
        const msgs = flow.count;
        while (flow.count > 0) payload += flow.queue.dropOldest();
        if (msgs > 0) this.#options.dropped(flow, msgs, payload);
      }
    this.#publishers.clear();
    this.count = 0;
    this.#grow(-this.bytes);
  }

  #begin({ fairKey }: Subscriber): PublisherFlows {
    const owner = new PublisherFlows(fairKey);
    this.#publishers.set(fairKey, owner);
    this.#turns.begin(owner);
    this.#grow(FLOW_OVERHEAD_BYTES);
    return owner;
  }

  #end(owner: PublisherFlows): void {
    this.#publishers.delete(owner.key);
    this.#grow(-FLOW_OVERHEAD_BYTES);
  }

  #send(topic: TopicFlow, owner: PublisherFlows, limit: number, output: Buffer[]): number {
    const { bytes } = topic;
    const taken = topic.queue.take(Math.min(limit, topic.deficit, owner.deficit), output);
    owner.bytes -= bytes - topic.bytes;
    topic.deficit -= taken.bytes;
    owner.deficit -= taken.bytes;
    this.count -= taken.msgs;
    this.#options.sent(topic, taken);
    return taken.bytes;
  }

  #expire(topic: TopicFlow, owner: PublisherFlows): void {
    const { maxAgeMs } = topic.policy;
    if (maxAgeMs === null) return;
    const oldest = performance.now() - maxAgeMs;
    while (topic.queue.oldestTime < oldest) this.#drop(topic, owner);
  }

  #drop(topic: TopicFlow, owner: PublisherFlows): void {
    const { bytes } = topic;
    const payload = topic.queue.dropOldest();
    owner.bytes -= bytes - topic.bytes;
    this.count--;
    this.#options.dropped(topic, 1, payload);
  }

  #choose(): Victim | null {
    const owners = [...this.#publishers.values()].sort((a, b) => b.bytes - a.bytes);
    for (const [index, owner] of owners.entries()) {
      const flow = fattest(owner.topics);
      if (flow !== null) return { flow, owner, left: MAX_EVICTED_AT_ONCE, floor: owners[index + 1]?.bytes ?? 0 };
    }
    return null;
  }

  #grow(bytes: number): void {
    if (bytes === 0) return;
    this.bytes += bytes;
    this.#options.grown(bytes);
  }
}

/** Returns the topic with the most bytes. Topics that may not lose messages are chosen only if there is no other. */
function fattest(topics: Iterable<TopicFlow>): TopicFlow | null {
  let found: TopicFlow | null = null;
  for (const topic of topics) {
    if (topic.count === 0) continue;
    const isSpared = topic.policy.reliableBytes !== null;
    const isFoundSpared = found !== null && found.policy.reliableBytes !== null;
    if (found === null || (isFoundSpared && !isSpared) || (isFoundSpared === isSpared && topic.bytes > found.bytes)) found = topic;
  }
  return found;
}
