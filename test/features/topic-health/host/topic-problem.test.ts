import { expect, it, test } from "vitest";
import type { TopicProbe } from "../../../../src/features/topic-health/contract.ts";
import type { Measured } from "../../../../src/features/topic-health/host/topic-meter.ts";
import { topicProblem } from "../../../../src/features/topic-health/host/topic-problem.ts";

const probe: TopicProbe = {
  kind: "topic",
  topic: "a",
  min_rate: null,
  max_gap_ms: null,
  max_latency_ms: null,
  interval_ms: 1_000,
  timeout_ms: 11_000,
};
const measured: Measured = { messages: 1_000, ms: 1_000, gapMs: 2, latencyMs: 0.5 };

test("messages within all limits are no problem", () => {
  expect(topicProblem(probe, measured)).toBeNull();
  expect(topicProblem({ ...probe, min_rate: 1_000, max_gap_ms: 2, max_latency_ms: 1 }, measured)).toBeNull();
});

it.each<[string, Partial<TopicProbe>, Partial<Measured>, string | null]>([
  ["nothing", {}, { messages: 0, gapMs: 1_000, latencyMs: null }, "nothing was published for 1000 ms"],
  ["too few", { min_rate: 900 }, { messages: 1_224, ms: 2_000 }, "612 messages/s, at least 900 are expected"],
  ["a gap", { max_gap_ms: 100 }, { gapMs: 240.4 }, "no message for 240 ms, at most 100 ms are allowed"],
  ["silence that is allowed", { max_gap_ms: 5_000 }, { messages: 0, gapMs: 3_000 }, null],
  ["silence that is allowed, with a rate", { max_gap_ms: 5_000, min_rate: 1 }, { messages: 0 }, "0 messages/s, at least 1 are expected"],
  ["a late message", { max_latency_ms: 5 }, { latencyMs: 7.25 }, "a message took 7.25 ms, at most 5 ms are allowed"],
  ["unknown latency", { max_latency_ms: 5 }, { latencyMs: null }, "its messages do not state when they were published (Mgr-Time)"],
])("%s is judged with both figures", (_title, limits, found, problem) => {
  expect(topicProblem({ ...probe, ...limits }, { ...measured, ...found })).toBe(problem);
});
