import { z } from "zod";
import { count, session } from "../../contract/fields.ts";
import { MAX_CHAIN, MAX_PATHS, MAX_THREADS } from "./limits.ts";

const topicName = z.string().max(255);
/** Nanoseconds, as decimal text where they are a time since 1970. A time of 19 digits from which a wrong clock was subtracted is longer. */
const time = z.string().regex(/^-?\d{1,22}$/);

/** Latencies of one step or chain, nanoseconds. */
const figures = z.object({
  messages: count,
  /** Messages that arrived before they were sent, because clocks differ; taken as 0. */
  below_zero: count,
  min: z.number(),
  mean: z.number(),
  p50: z.number(),
  p90: z.number(),
  p99: z.number(),
  p999: z.number(),
  max: z.number(),
  deviation: z.number(),
  jitter: z.number(),
  bins: z.array(z.object({ from: z.number(), messages: count })),
  /** Begin and end of the longest one by the clock of the measuring host, and its `Mgr-Seq`. */
  worst: z.object({ from: time, until: time, seq: count.nullable() }),
});
export type HostFigures = z.infer<typeof figures>;

/** `legs`: one for each topic. */
const path = z
  .object({ topics: z.array(topicName).min(1).max(MAX_CHAIN), total: figures, legs: z.array(figures) })
  .refine(({ topics, legs }) => legs.length === topics.length, { error: "must have a leg for each topic" });

const measured = z.object({
  messages: count,
  lost: count,
  unstamped: count,
  late: count,
  /** One in this many messages was measured, at the highest rate. */
  one_in: z.int().min(1),
  paths: z.array(path).max(MAX_PATHS),
  other_paths: count,
  unmatched: count,
});
export type HostLatency = z.infer<typeof measured>;

const thread = z.object({
  tid: count,
  name: z.string(),
  policy: z.int(),
  prio: z.int(),
  nice: z.int(),
  affinity: z.array(count),
  /** Since its start: time on a CPU, and ready but waiting for one, nanoseconds; turns on a CPU. */
  run_ns: z.number(),
  wait_ns: z.number(),
  turns: z.number(),
  /** Times that it gave up the CPU, and that it was taken away. */
  voluntary: z.number(),
  involuntary: z.number(),
});
export type HostThread = z.infer<typeof thread>;

export const TOPIC_LATENCY_REQUESTS = {
  /**
   * Begins to measure a topic that programs of this host publish. `chain`: only messages that passed these topics, in order, the measured one at the
   * end. `clocks`: by how much the clock of the publisher's host is ahead of this one. `seconds`: when it is given up if nothing ends it. `busy`:
   * there are too many measurements.
   */
  begin_latency: {
    request: z.object({
      session,
      topic: topicName,
      chain: z.array(topicName).min(1).max(MAX_CHAIN).nullable(),
      clocks: z.array(z.object({ topic: topicName, ahead_ns: z.number() })).max(MAX_PATHS * MAX_CHAIN),
      late_ns: z.number().min(0).nullable(),
      seconds: z.number().min(0).max(60),
    }),
    response: z.object({ id: count }),
  },
  /** Ends a measurement. `not_found`: it was given up. */
  end_latency: { request: z.object({ session, id: count }), response: measured },
  /** The clock of the host, and the threads of processes; those that have ended are left out. */
  latency_threads: {
    request: z.object({ session, pids: z.array(z.int().min(1)).max(MAX_PATHS * MAX_CHAIN) }),
    response: z.object({
      time,
      processes: z.array(z.object({ pid: z.int(), threads: z.array(thread).max(MAX_THREADS) })),
    }),
  },
} as const;
