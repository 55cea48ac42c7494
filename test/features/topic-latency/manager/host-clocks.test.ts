import { expect, test } from "vitest";
import { shownThreads } from "../../../../src/features/topic-latency/manager/figures.ts";
import { offsetBetween } from "../../../../src/features/topic-latency/manager/host-clocks.ts";

test("the offset of two hosts is that of their clocks to the manager, with both uncertainties", () => {
  const offset = offsetBetween({ offset: 1_300n, uncertainty: 4n }, { offset: -200n, uncertainty: 3n });
  expect(offset).toEqual({ offset: 1_500n, uncertainty: 7n });
  expect(offsetBetween(null, { offset: 0n, uncertainty: 1n })).toBeNull();
});

test("threads are shown with what they did within the measurement, those first that waited longest", () => {
  const thread = {
    name: "loop",
    policy: 0,
    prio: 0,
    nice: 0,
    affinity: [0, 1],
    run_ns: 0,
    wait_ns: 0,
    turns: 0,
    voluntary: 0,
    involuntary: 0,
  };
  const before = [
    { ...thread, tid: 1, run_ns: 5e9, turns: 10 },
    { ...thread, tid: 2, turns: 10 },
  ];
  const after = [
    { ...thread, tid: 1, run_ns: 6e9, wait_ns: 1e6, turns: 12, voluntary: 2 },
    { ...thread, tid: 2, turns: 10 },
    { ...thread, tid: 3, wait_ns: 3e6, turns: 1, involuntary: 1 },
  ];
  expect(shownThreads(before, after, 2)).toMatchObject([
    { tid: 3, wait_ms: 3, turns: 1, involuntary: 1, affinity: "0,1" },
    { tid: 1, cpu_percent: 50, wait_ms: 1, turns: 2, voluntary: 2 },
  ]);
});
