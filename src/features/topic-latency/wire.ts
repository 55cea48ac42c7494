import { z } from "zod";
import { MAX_SAMPLE_SECONDS, objectName, sampleSeconds, timestamp } from "../../protocol/frames/field-kinds.ts";
import { clientFrames, managerFrames, result } from "../../protocol/frames/frame-table.ts";
import { DEFAULT_SECONDS, MAX_CHAIN, MAX_MEASURED_PER_SECOND, MAX_PATHS } from "./limits.ts";

const chainSays = `must be an array of 1 to ${MAX_CHAIN} names of topics`;
const MAX_LIMIT_MS = 3_600_000;

const ms = z.number();
const latencyFigures = z
  .object({
    messages: z.int(),
    below_zero: z
      .int()
      .describe("Messages that were received before they were sent, because the clocks differ by more than is known; taken as 0."),
    min_ms: ms,
    mean_ms: ms,
    p50_ms: ms.describe("Quantiles are exact to 0.5 %."),
    p90_ms: ms,
    p99_ms: ms,
    p999_ms: ms,
    max_ms: ms,
    deviation_ms: ms.describe("Standard deviation."),
    jitter_ms: ms.describe("Interarrival jitter of RFC 3550 at the end: how much the latency differs from one message to the next."),
    histogram: z.array(z.object({ from_ms: ms, messages: z.int() })).describe("Steps of 1, 2, 5, 10 …; each reaches to the next one."),
    worst: z
      .object({ from: timestamp, until: timestamp, seq: z.int().nullable().describe("`Mgr-Seq` of the message.") })
      .describe("The message with the largest latency, by the clock of the manager."),
  })
  .meta({ id: "LatencyFigures", description: "Latencies of the messages of one step." });
export type LatencyFigures = z.infer<typeof latencyFigures>;

const latencyPath = z
  .object({
    topics: z.array(z.string()).describe("The topics of the chain, the measured one at the end."),
    total: latencyFigures.describe("From the first message of the chain to receipt by the broker of the last publisher's host."),
    legs: z.array(latencyFigures).describe("From each topic to the next; the last one from the measured topic to the broker."),
  })
  .meta({ id: "LatencyPath", description: "A chain of topics that led to messages." });
export type LatencyPath = z.infer<typeof latencyPath>;

const latencyThread = z
  .object({
    tid: z.int(),
    thread: z.string(),
    policy: z.int(),
    prio: z.int(),
    nice: z.int(),
    affinity: z.string(),
    cpu_percent: z.number(),
    wait_ms: ms.describe("Time in which it was ready and waited for a CPU, during the measurement."),
    turns: z.int().describe("Times that it got a CPU."),
    voluntary: z.int().describe("Times that it gave up the CPU."),
    involuntary: z.int().describe("Times that the CPU was taken away."),
  })
  .meta({ id: "LatencyThread" });

const latencyStage = z
  .object({
    topic: z.string(),
    client: z.string().nullable().describe("The publisher; null: no client publishes it now."),
    host: z.string().nullable(),
    pid: z.int().nullable().describe("Null: the client has not registered it."),
    offset_ms: ms
      .nullable()
      .describe("The clock of its host minus that of the measuring one; already applied. Null: not measured, taken as 0."),
    uncertainty_ms: ms.nullable().describe("The true offset differs by this much at most."),
    threads: z.array(latencyThread).describe("Threads of the publisher that ran, those first that waited longest."),
  })
  .meta({ id: "LatencyStage", description: "The program that publishes one topic of a chain." });
export type LatencyStage = z.infer<typeof latencyStage>;

export const topicLatencyCommands = clientFrames("Topics", {
  measure_topic_latency: {
    fields: {
      name: objectName.describe("Name of a topic."),
      chain: z
        .array(objectName, { error: chainSays })
        .min(1, { error: chainSays })
        .max(MAX_CHAIN, { error: chainSays })
        .describe("Only messages that these topics led to, in this order. Default: all, by the chains that they state.")
        .exactOptional(),
      sample_seconds: sampleSeconds()
        .describe(`How long to measure; default ${DEFAULT_SECONDS}, at most ${MAX_SAMPLE_SECONDS}.`)
        .exactOptional(),
      limit_ms: z
        .number({ error: "must be a number of milliseconds" })
        .min(0)
        .max(MAX_LIMIT_MS)
        .describe("Messages that take longer to the broker are counted as late. Default: the least `max_latency` of a process.")
        .exactOptional(),
    },
    answer: "topic_latency",
    scope: "global",
    role: "viewer",
    readOnly: true,
    meaning:
      "Latency and jitter of a topic, and of the chain of messages that led to its messages, beside the scheduling of their programs.",
  },
});

export const topicLatencyFrames = managerFrames("Topics", {
  topic_latency: result(
    { name: z.string() },
    {
      sample_seconds: z.number().describe("The time that really passed."),
      host: z.string().describe("The host that measured: that of the publisher."),
      messages: z.int(),
      lost: z.int().describe("Gaps in `Mgr-Seq`: messages that the publisher could not send."),
      unstamped: z.int().describe("Messages without `Mgr-Time`, which have no latency."),
      limit_ms: ms.nullable(),
      late: z.int().describe("Messages beyond `limit_ms`."),
      one_in: z.int().describe(`Beyond ${MAX_MEASURED_PER_SECOND} messages a second, one in so many was measured.`),
      paths: z.array(latencyPath).max(MAX_PATHS).describe("The chains that messages state, most frequent first."),
      other_paths: z.int().describe("Messages of further chains, which were not measured."),
      unmatched: z.int().describe("Messages that did not pass the topics of `chain`."),
      stages: z.array(latencyStage).describe("The programs behind the topics of all paths."),
      incident: z.string().nullable().describe("Id of an incident of the flight recorder that has the worst case of the first path."),
    },
    "Latencies of a topic.",
  ),
});
