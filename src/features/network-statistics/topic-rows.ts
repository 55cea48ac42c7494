import { TOPIC_PREFIX } from "../../base/topics/topic-subject.ts";
import type { Crossings } from "../../bus/broker/broker.ts";
import { readableText } from "../../bus/broker/broker-protocol.ts";

/** Messages and payload bytes: published by the broker's own clients, or arrived from other brokers. */
interface TopicRow {
  readonly kind: "published" | "arrived";
  readonly subject: string;
  readonly msgs: number;
  readonly bytes: number;
}

/**
 * Yields a broker's counts of topics: messages of its own clients, including those that have disconnected, and of other brokers. Messages
 * that still wait for a link do not count as published yet: they are not lost.
 */
export function* topicRows({ subjects, waiting }: Pick<Crossings, "subjects" | "waiting">): Generator<TopicRow> {
  for (const [name, { msgs, bytes, foreign, arrived }] of subjects) {
    if (!name.startsWith(TOPIC_PREFIX)) continue;
    const subject = readableText(name);
    const queued = waiting.get(name) ?? { msgs: 0, bytes: 0 };
    const own = { msgs: msgs - foreign.msgs - queued.msgs, bytes: bytes - foreign.bytes - queued.bytes };
    if (own.msgs > 0) yield { kind: "published", subject, msgs: own.msgs, bytes: Math.max(0, own.bytes) };
    if (arrived.msgs > 0) yield { kind: "arrived", subject, ...arrived };
  }
}
