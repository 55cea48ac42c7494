import { TOPIC_PREFIX } from "../../base/topic-subject.ts";
import type { NetworkRowOf } from "../../contract/network.ts";
import type { Crossings } from "./broker.ts";
import { readableText } from "./broker-protocol.ts";

/** What a broker has counted of topics: what its own clients published, those included that are gone, and what came from other brokers. */
export function* topicRows(subjects: Crossings["subjects"]): Generator<NetworkRowOf<"published"> | NetworkRowOf<"arrived">> {
  for (const [name, { msgs, bytes, foreign, arrived }] of subjects) {
    if (!name.startsWith(TOPIC_PREFIX)) continue;
    const subject = readableText(name);
    if (msgs > foreign.msgs) yield { kind: "published", subject, msgs: msgs - foreign.msgs, bytes: bytes - foreign.bytes };
    if (arrived.msgs > 0) yield { kind: "arrived", subject, ...arrived };
  }
}
