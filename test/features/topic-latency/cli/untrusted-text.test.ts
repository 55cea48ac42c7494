import { expect, test } from "vitest";
import { latencyText } from "../../../../src/features/topic-latency/cli/latency-text.ts";
import type { LatencyFigures } from "../../../../src/features/topic-latency/wire.ts";
import { describeUntrustedText, writesOf } from "../../../support/suites/untrusted-text-suite.ts";

const QUANTILES = { min_ms: 1, mean_ms: 1, p50_ms: 1, p90_ms: 1, p99_ms: 1, p999_ms: 1, max_ms: 1, deviation_ms: 0, jitter_ms: 0 };
const TIME = "2026-11-27T06:00:00.000";
const FIGURES: LatencyFigures = {
  ...QUANTILES,
  messages: 1,
  below_zero: 1,
  histogram: [{ from_ms: 1, messages: 1 }],
  worst: { from: TIME, until: TIME, seq: null },
};
const THREAD = { tid: 1, policy: 1, prio: 5, nice: 0, affinity: "0", cpu_percent: 1, wait_ms: 1, turns: 1, voluntary: 1, involuntary: 1 };
const STAGE = { pid: 1, offset_ms: 1, uncertainty_ms: 0.1 };
const COUNTS = { sample_seconds: 1, messages: 1, lost: 1, unstamped: 1, limit_ms: 1, late: 1, one_in: 2, other_paths: 1, unmatched: 1 };

const resultFor = (text: string) => ({
  ...COUNTS,
  name: text,
  host: text,
  paths: [{ topics: [text, text], total: FIGURES, legs: [FIGURES, FIGURES] }],
  stages: [{ ...STAGE, topic: text, client: text, host: text, threads: [{ ...THREAD, thread: text }] }],
  incident: text,
});

/** Every place that prints untrusted text, and what it prints. */
describeUntrustedText({ "mgr topic latency": (text) => latencyText(resultFor(text)) });

test("every place that writes to a terminal is known", () => {
  expect(writesOf("src/features/topic-latency")).toEqual({ "src/features/topic-latency/cli/latency.ts": 1 });
});

test("tells everything that limits what the figures mean", () => {
  const text = latencyText(resultFor("a"));
  for (const remark of [
    "1 were lost",
    "1 do not state",
    "1 took longer than 1 ms",
    "one in 2",
    "1 did not pass",
    "1 came by further",
    "clocks differ",
  ])
    expect(text).toContain(remark);
  expect(text).toContain("+1.000 ± 0.100 ms");
});
