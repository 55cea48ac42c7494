import { expect, it } from "vitest";
import type { TopicCounters } from "../../../../src/contract/registry.ts";
import { measureTopics } from "../../../../src/features/data-plane/manager/topics/topic-stat.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

const counters = (at: number, packets: number): TopicCounters => ({
  at,
  packets,
  bytes: packets * 100,
  last_size: 100,
  dropped: 0,
  kept_dropped: 0,
  rate: 0,
  bytes_rate: 0,
});

async function measure(before: Record<string, TopicCounters>, after: Record<string, TopicCounters>) {
  const clock = new SimulatedClock();
  let now = before;
  const read = () => Object.entries(now).map(([name, values]) => ({ name, counters: values }));
  const measured = measureTopics(2, clock, read, new AbortController().signal);
  now = after;
  await clock.advance(2_000);
  const { sample_seconds, topics } = await measured;
  expect(sample_seconds).toBe(2);
  return Object.fromEntries(topics.map(({ name, ...rest }) => [name, rest]));
}

it("rates are measured over the time between two readings of the publisher's broker, whenever they arrived", async () => {
  const before = { steady: counters(1_000, 500), silent: counters(1_000, 7), woken: counters(-60_000, 0), replaced: counters(0, 90) };
  const after = {
    steady: counters(2_500, 2_000),
    silent: counters(1_000, 7),
    woken: counters(3_000, 25),
    replaced: counters(3_000, 10),
    fresh: counters(3_000, 4),
  };
  expect(await measure(before, after)).toEqual({
    steady: { rate: 1_000, bytes_s: 100_000, packets: 1_500 },
    silent: { rate: 0, bytes_s: 0, packets: 0 },
    // Nothing was counted in the long rest before.
    woken: { rate: 10, bytes_s: 1_000, packets: 25 },
    replaced: { rate: 5, bytes_s: 500, packets: 10 },
    fresh: { rate: 2, bytes_s: 200, packets: 4 },
  });
});
