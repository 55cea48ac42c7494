import type { TopicLimit } from "./wire/topic.ts";

/** Text of a limit of a topic: "at least 900 Hz, gaps up to 100 ms". */
export function limitText({ min_rate, max_gap_ms, max_latency_ms }: TopicLimit): string {
  const parts = [
    ...(min_rate === null ? [] : [`at least ${min_rate} Hz`]),
    ...(max_gap_ms === null ? [] : [`gaps up to ${max_gap_ms} ms`]),
    ...(max_latency_ms === null ? [] : [`latency up to ${max_latency_ms} ms`]),
  ];
  return parts.join(", ") || "published";
}

/** Whether a limit is met, and since when; `shownTime` converts a time of the protocol. */
export function verdictText({ met, since, problem }: TopicLimit, shownTime: (timestamp: string) => string): string {
  if (met === null || since === null) return "not checked: its process does not run";
  return met ? `met since ${shownTime(since)}` : `not met since ${shownTime(since)}: ${problem}`;
}

/** The highest rate that limits demand; null: none demands a rate. */
export function highestRate(limits: readonly TopicLimit[]): number | null {
  const rates = limits.flatMap(({ min_rate }) => min_rate ?? []);
  return rates.length === 0 ? null : Math.max(...rates);
}
