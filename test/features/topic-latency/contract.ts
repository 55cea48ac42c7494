import { arrayOf, nullable, optional, table } from "../../contract/field-types.ts";
import { type FeatureContract, result, row } from "../../contract/rows.ts";

/** docs/latency.md. */
export const topicLatencyContract: FeatureContract = {
  clientFrames: {
    measure_topic_latency: row(
      { name: "string", chain: optional(arrayOf("string")), sample_seconds: optional("number"), limit_ms: optional("number") },
      "topic_latency",
    ),
  },
  managerFrames: {
    topic_latency: result(
      { name: "string" },
      {
        sample_seconds: "number",
        host: "string",
        messages: "integer",
        lost: "integer",
        unstamped: "integer",
        limit_ms: nullable("number"),
        late: "integer",
        one_in: "integer",
        paths: arrayOf(table("latency path")),
        other_paths: "integer",
        unmatched: "integer",
        stages: arrayOf(table("latency stage")),
        incident: nullable("string"),
      },
    ),
  },
  resources: {
    "latency path": { topics: arrayOf("string"), total: table("latency figures"), legs: arrayOf(table("latency figures")) },
    "latency figures": {
      messages: "integer",
      below_zero: "integer",
      min_ms: "number",
      mean_ms: "number",
      p50_ms: "number",
      p90_ms: "number",
      p99_ms: "number",
      p999_ms: "number",
      max_ms: "number",
      deviation_ms: "number",
      jitter_ms: "number",
      histogram: arrayOf(table("latency bin")),
      worst: table("worst latency"),
    },
    "latency bin": { from_ms: "number", messages: "integer" },
    "worst latency": { from: "timestamp", until: "timestamp", seq: nullable("integer") },
    "latency stage": {
      topic: "string",
      client: nullable("string"),
      host: nullable("string"),
      pid: nullable("integer"),
      offset_ms: nullable("number"),
      uncertainty_ms: nullable("number"),
      threads: arrayOf(table("latency thread")),
    },
    "latency thread": {
      tid: "integer",
      thread: "string",
      policy: "integer",
      prio: "integer",
      nice: "integer",
      affinity: "string",
      cpu_percent: "number",
      wait_ms: "number",
      turns: "integer",
      voluntary: "integer",
      involuntary: "integer",
    },
  },
  // They need messages, and a publisher that runs, while somebody waits: test/e2e/command-line/topic-latency.test.ts.
  seenElsewhere: ["latency path", "latency figures", "latency bin", "worst latency", "latency stage", "latency thread"],
  taken: { measure_topic_latency: { chain: ["a"], sample_seconds: 1, limit_ms: 5 } },
};
