import { type Clock, pause } from "../../../../base/timing/clock.ts";
import { COUNTERS_MS, type TopicCounters } from "../../../../contract/registry.ts";
import type { TopicsStat } from "../data-plane.ts";

interface Measured {
  readonly name: string;
  readonly counters: TopicCounters;
}

/** Minimum length of a measurement, milliseconds: brokers report their counters every COUNTERS_MS, and an active topic must not seem idle. */
const MIN_SPAN_MS = COUNTERS_MS + 100;

/** Measures rates over `seconds`: from the newest counters before to the newest ones after, by the clock of their broker. */
export async function measureTopics(
  seconds: number,
  clock: Clock,
  read: () => Iterable<Measured>,
  signal: AbortSignal,
): Promise<TopicsStat> {
  const begin = clock.monotonic();
  const before = new Map([...read()].map(({ name, counters }) => [name, counters]));
  await pause(clock, Math.max(seconds * 1_000, MIN_SPAN_MS), signal);
  const elapsed = (clock.monotonic() - begin) / 1_000;
  const topics = [...read()].map(({ name, counters }) => {
    const first = before.get(name);
    // The counters of another publisher, or of a new topic, begin at 0.
    const isSame = first !== undefined && first.packets <= counters.packets;
    const packets = counters.packets - (isSame ? first.packets : 0);
    const bytes = counters.bytes - (isSame ? first.bytes : 0);
    // Counters are reported when they change: after a long pause, everything new was counted during this measurement.
    const span = isSame ? Math.min((counters.at - first.at) / 1_000, elapsed + COUNTERS_MS / 1_000) : elapsed;
    const rate = (count: number) => (count === 0 || span <= 0 ? 0 : Math.round((1_000 * count) / span) / 1_000);
    return { name, rate: rate(packets), bytes_s: rate(bytes), packets };
  });
  return { sample_seconds: elapsed, topics };
}
