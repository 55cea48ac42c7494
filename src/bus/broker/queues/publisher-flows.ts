import type { Subscriber } from "../broker-subscriber.ts";
import { FairTurns, type InTurns } from "./fair-turns.ts";
import { MessageQueue } from "./message-queue.ts";
import { DEFAULT_POLICY, type TopicPolicy } from "./topic-policy.ts";

/** Approximate memory of an empty queue, bytes. */
export const FLOW_OVERHEAD_BYTES = 1_024;

/** The messages of one subject from one publisher to one receiver. */
export interface Flow {
  readonly publisher: Subscriber;
  /** Subject; empty: all subjects of this publisher, which stay in order. */
  readonly subject: string;
}

export class TopicFlow implements Flow, InTurns {
  readonly publisher: Subscriber;
  readonly subject: string;
  readonly policy: TopicPolicy;
  readonly queue = new MessageQueue();
  deficit = 0;

  constructor({ publisher, subject }: Flow, policy: TopicPolicy) {
    this.publisher = publisher;
    this.subject = subject;
    this.policy = policy;
  }

  get bytes(): number {
    return this.queue.bytes;
  }

  get count(): number {
    return this.queue.count;
  }
}

/** All messages of one publisher in one queue. Its topics take turns, those of a higher priority first. */
export class PublisherFlows implements InTurns {
  readonly key: string | number;
  deficit = 0;
  /** Memory of the messages, and of the queues themselves. */
  bytes = 0;
  readonly #topics = new Map<string, TopicFlow>();
  /** Turns by priority, the highest first. */
  #turns: { readonly priority: number; readonly turns: FairTurns<TopicFlow> }[] = [];

  constructor(key: string | number) {
    this.key = key;
  }

  get topics(): Iterable<TopicFlow> {
    return this.#topics.values();
  }

  get(subject: string): TopicFlow | undefined {
    return this.#topics.get(subject);
  }

  begin(flow: Flow, policy: TopicPolicy | null): TopicFlow {
    const topic = new TopicFlow(flow, policy ?? DEFAULT_POLICY);
    this.#topics.set(flow.subject, topic);
    this.bytes += FLOW_OVERHEAD_BYTES;
    this.#turnsOf(topic.policy.priority).begin(topic);
    return topic;
  }

  /** Returns the topic whose turn it is; null: none has messages. */
  next(): TopicFlow | null {
    for (const { turns } of this.#turns)
      for (let topic = turns.next(); topic !== null; topic = turns.next()) {
        if (topic.count > 0) return topic;
        if (turns.isEmpty(topic)) this.#remove(topic);
      }
    return null;
  }

  #remove({ subject }: TopicFlow): void {
    this.#topics.delete(subject);
    this.bytes -= FLOW_OVERHEAD_BYTES;
  }

  #turnsOf(priority: number): FairTurns<TopicFlow> {
    const known = this.#turns.find((one) => one.priority === priority);
    if (known !== undefined) return known.turns;
    const turns = new FairTurns<TopicFlow>();
    this.#turns = [...this.#turns, { priority, turns }].sort((a, b) => b.priority - a.priority);
    return turns;
  }
}
