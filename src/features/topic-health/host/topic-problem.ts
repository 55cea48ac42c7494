import type { TopicProbe } from "../contract.ts";
import type { Measured } from "./topic-meter.ts";

/** The limit that the measured messages do not keep, with both figures; null: they keep all. */
export function topicProblem(probe: TopicProbe, { messages, ms, gapMs, latencyMs }: Measured): string | null {
  const { min_rate, max_gap_ms, max_latency_ms } = probe;
  // Without a message, the longest gap is known all the same.
  if (messages === 0 && max_gap_ms === null) return `nothing was published for ${figure(ms)} ms`;
  const rate = (messages * 1_000) / ms;
  if (min_rate !== null && rate < min_rate) return `${figure(rate)} messages/s, at least ${min_rate} are expected`;
  if (max_gap_ms !== null && gapMs > max_gap_ms) return `no message for ${figure(gapMs)} ms, at most ${max_gap_ms} ms are allowed`;
  if (max_latency_ms === null || messages === 0) return null;
  if (latencyMs === null) return "its messages do not state when they were published (Mgr-Time)";
  return latencyMs > max_latency_ms ? `a message took ${figure(latencyMs)} ms, at most ${max_latency_ms} ms are allowed` : null;
}

function figure(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** Without limits, the first message of a window is enough. */
export function hasLimits({ min_rate, max_gap_ms, max_latency_ms }: TopicProbe): boolean {
  return min_rate !== null || max_gap_ms !== null || max_latency_ms !== null;
}
