import { TOPIC_PREFIX } from "../../base/topic-subject.ts";
import type { Crossings } from "./broker.ts";
import { readableText } from "./broker-protocol.ts";

/** Messages and payload bytes: published by the broker's own clients, or arrived from other brokers. */
interface TopicRow {
  readonly kind: "published" | "arrived";
  readonly subject: string;
  readonly msgs: number;
  readonly bytes: number;
}

/**
 * What a broker has counted of topics: what its own clients published, those included that are gone, and what came from other brokers. What
 * still waits for a link is not published yet: it is not lost.
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
