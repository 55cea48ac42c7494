import { z } from "zod";
import { MAX_DURATION_MS } from "../../base/timing/clock.ts";

const duration = z.int().min(1).max(MAX_DURATION_MS);

/** The condition of a dependency that holds while the topics of the other process's probes arrive by their limits. */
export const PUBLISHING = "publishing";

/** Limits for the messages on a topic within a window of `interval_ms`, by programs of the process's host. Null: no such limit. */
export const TOPIC_PROBE = z.strictObject({
  kind: z.literal("topic"),
  topic: z.string().min(1).max(1_024),
  /** Messages per second. */
  min_rate: z.number().min(0).nullable(),
  /** Longest time between two messages. */
  max_gap_ms: duration.nullable(),
  /** Longest time from publication, as the publisher states it, to receipt by the host's broker. */
  max_latency_ms: duration.nullable(),
  interval_ms: duration,
  timeout_ms: duration,
});
export type TopicProbe = z.infer<typeof TOPIC_PROBE>;
