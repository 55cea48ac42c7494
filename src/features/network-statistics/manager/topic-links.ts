import { perSecond } from "../increase.ts";
import type { LinkChild, LinkSums } from "./link-sum.ts";
import { grown, type Span } from "./reading.ts";
import type { Sample, Subscribing, TopicPlaces } from "./sample.ts";

/** Two samples, and the counters of each end between them. */
export interface Interval {
  readonly before: Sample;
  readonly after: Sample;
  /** Spans of the ends that answered both times in the same life, by broker; null: the manager's. */
  readonly spans: ReadonlyMap<string | null, Span>;
}

/** Messages, requests or bytes that one end sent, and those that arrived at the other. */
export interface Shortfall {
  readonly from: string;
  readonly to: string;
  readonly kind: LinkChild["kind"];
  readonly name: string;
  readonly unit: "messages" | "requests" | "bytes";
  readonly sent: number;
  readonly arrived: number;
}

interface Source {
  readonly broker: string | null;
  readonly host: string;
  readonly msgs: number;
  readonly bytes: number;
  readonly milliseconds: number;
  /** Whether the source was counted in both samples. */
  readonly isSteady: boolean;
}

/**
 * Topics: the messages that the publisher's broker counted, for each host with subscribers, and those that the subscribers' broker counted. Returns
 * the pairs that can be compared exactly: one publisher, and subscribers that were there all the time.
 */
export function addTopics(interval: Interval, sums: LinkSums): Shortfall[] {
  const shortfalls: Shortfall[] = [];
  // A publisher may have ended since, and its topic with it.
  for (const [subject, places] of new Map([...interval.before.topics, ...interval.after.topics])) {
    const sources = sourcesOf(interval, subject, places);
    for (const place of distinct(places.subscribers)) {
      const span = interval.spans.get(place.broker);
      const remote = sources.filter(({ broker, host }) => broker !== place.broker && host !== place.host);
      const all = remote.reduce((sum, { msgs }) => sum + msgs, 0);
      if (span === undefined || all === 0) continue;
      const { arrived } = span;
      const msgs = grown(arrived, "arrived", subject, "msgs");
      const bytes = grown(arrived, "arrived", subject, "bytes");
      for (const source of remote) {
        const share = source.msgs / all;
        sums.add(
          { from: source.host, to: place.host },
          { kind: "topic", name: places.topic },
          { packets: perSecond(source.msgs, source.milliseconds), bytes: perSecond(source.bytes, source.milliseconds) },
          { packets: perSecond(msgs * share, arrived.milliseconds), bytes: perSecond(bytes * share, arrived.milliseconds) },
        );
      }
      const [only] = remote;
      const before = interval.before.topics.get(subject)?.subscribers ?? [];
      if (only === undefined || remote.length > 1 || !only.isSteady || !before.some((one) => isSame(one, place))) continue;
      shortfalls.push({
        from: only.host,
        to: place.host,
        kind: "topic",
        name: places.topic,
        unit: "messages",
        sent: only.msgs,
        arrived: msgs,
      });
    }
  }
  return shortfalls;
}

function sourcesOf({ spans, before }: Interval, subject: string, places: TopicPlaces): Source[] {
  return [...spans].flatMap(([broker, { sent }]) => {
    const host = broker ?? places.hubPublisher;
    const msgs = grown(sent, "published", subject, "msgs");
    if (host === null || msgs === 0) return [];
    const isSteady = sent.before.find("published", subject) !== undefined && before.topics.has(subject);
    return [{ broker, host, msgs, bytes: grown(sent, "published", subject, "bytes"), milliseconds: sent.milliseconds, isSteady }];
  });
}

function isSame(one: Subscribing, other: Subscribing): boolean {
  return one.host === other.host && one.broker === other.broker;
}

function distinct(places: readonly Subscribing[]): Subscribing[] {
  return places.filter((place, index) => places.findIndex((one) => isSame(one, place)) === index);
}
