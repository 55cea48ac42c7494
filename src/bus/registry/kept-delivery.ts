import type { ClientSubscription } from "../broker/broker-subscriber.ts";
import { subjectMatches } from "../broker/broker-subscriptions.ts";
import type { TopicEntry } from "./topic-entry.ts";

/** Number of topics that are checked before the subscriber's connection is checked for room again. */
const MAX_TOPICS_AT_ONCE = 1_000;

/**
 * Sends the kept messages of all topics that a new subscription matches, at the pace at which its client reads: all at once would not fit into
 * its queue. Messages that were published after the subscription began are sent to it anyway.
 */
export class KeptDelivery {
  readonly subscription: ClientSubscription;
  /** Moment of the subscription (`lastMoment`). */
  readonly since: number;
  /** Subject of the last topic that was checked; null: none. */
  after: string | null = null;
  readonly #topics: Iterator<TopicEntry>;

  constructor(subscription: ClientSubscription, topics: Iterator<TopicEntry>, since: number) {
    this.subscription = subscription;
    this.#topics = topics;
    this.since = since;
  }

  /** Sends as much as the client reads now. Returns false if the rest waits; it is sent later. */
  run(onDone: () => void): boolean {
    const { subscription } = this;
    const { client, subject } = subscription;
    const goOn = () => void (this.run(onDone) && onDone());
    for (let checked = 0; !subscription.isEnded; checked++) {
      if (client.connection !== null && (checked >= MAX_TOPICS_AT_ONCE || !client.connection.hasRoom)) {
        if (client.connection.hasRoom) setImmediate(goOn);
        else client.connection.onRoom(goOn);
        return false;
      }
      const next = this.#topics.next();
      if (next.done) return true;
      const { last, subject: topic } = next.value;
      this.after = topic;
      if (last === null || last.moment > this.since || !subjectMatches(subject, topic)) continue;
      if (!subscription.isFiltered || client.mayReceive(topic)) last.deliver(subscription);
    }
    return true;
  }
}
