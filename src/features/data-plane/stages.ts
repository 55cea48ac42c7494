import { subjectTokens, TOPIC_PREFIX, topicOfSubject } from "../../base/topics/topic-subject.ts";

/** Messages that led to another one, oldest first, as in the header `Mgr-Stages` (docs/clients.md, "Stages"). */

/** Maximum number of messages that are named; of a longer chain, the origin and the newest ones. */
export const MAX_STAGES = 8;

export interface Stage {
  readonly topic: string;
  /** `Mgr-Time` of its message, nanoseconds since 1970. */
  readonly time: bigint;
}

/** A received message that leads to another one. */
export interface StageSource {
  readonly topic: string;
  readonly time: bigint | null;
  readonly stages: string | null;
}

const ENTRY = /^([A-Za-z0-9_.%-]{1,1024})=(\d{1,19})$/;

/** Returns no stages for a text that is malformed or has too many: a part of a chain would be taken for the whole. */
export function parseStages(text: string): readonly Stage[] {
  const entries = text.split(";", MAX_STAGES + 1);
  if (entries.length > MAX_STAGES) return [];
  const stages: Stage[] = [];
  for (const entry of entries) {
    const [, tokens = "", time = "0"] = ENTRY.exec(entry) ?? [];
    const topic = topicOfSubject(TOPIC_PREFIX + tokens);
    if (topic === null) return [];
    stages.push({ topic, time: BigInt(time) });
  }
  return stages;
}

/**
 * The header of a message of `topic` that `cause` leads to; null: it has no stages, because the cause does not state its time. In a loop of topics,
 * the chain begins anew behind the last message of `topic`.
 */
export function stagesAfter(cause: StageSource, topic: string): string | null {
  if (cause.time === null) return null;
  const before = cause.stages === null ? [] : parseStages(cause.stages);
  const all = [...before, { topic: cause.topic, time: cause.time }];
  const own = all.slice(all.findLastIndex((stage) => stage.topic === topic) + 1);
  const [origin] = own;
  if (origin === undefined) return null;
  const kept = own.length > MAX_STAGES ? [origin, ...own.slice(1 - MAX_STAGES)] : own;
  return kept.map((stage) => `${subjectTokens(stage.topic)}=${stage.time}`).join(";");
}
