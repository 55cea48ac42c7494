import type { ClientSubscription } from "../broker/broker-subscriber.ts";
import { subjectMatches } from "../broker/broker-subscriptions.ts";
import type { TopicEntry } from "./topic-entry.ts";

/** Number of topics that are checked before the subscriber's connection is checked for room again. */
const MAX_TOPICS_AT_ONCE = 1_000;

/**
 * Sends the kept messages of all topics that a new subscription matches, at the pace at which its client reads: all at once would not fit into
 * its queue. Messages that were published after the subscription began are sent to it anyway.
 */
export function deliverKept(subscription: ClientSubscription, topics: Iterator<TopicEntry>, since: number): void {
  const { client, subject } = subscription;
  const goOn = () => deliverKept(subscription, topics, since);
  for (let checked = 0; !subscription.isEnded; checked++) {
    if (client.connection !== null && (checked >= MAX_TOPICS_AT_ONCE || !client.connection.hasRoom)) {
      if (client.connection.hasRoom) setImmediate(goOn);
      else client.connection.onRoom(goOn);
      return;
    }
    const next = topics.next();
    if (next.done) return;
    const { last, subject: topic } = next.value;
    if (last === null || last.moment > since || !subjectMatches(subject, topic)) continue;
    if (!subscription.isFiltered || client.mayReceive(topic)) last.deliver(subscription);
  }
}
