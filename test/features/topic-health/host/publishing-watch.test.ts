import { expect, test } from "vitest";
import type { RunCheck } from "../../../../src/contract/run.ts";
import type { TopicProbe } from "../../../../src/features/topic-health/contract.ts";
import { watchPublishing } from "../../../../src/features/topic-health/host/publishing-watch.ts";
import { publishingProbes } from "../../../../src/features/topic-health/publishing.ts";
import { MeterRig } from "./meter-rig.ts";

const probe: TopicProbe = {
  kind: "topic",
  topic: "a",
  min_rate: null,
  max_gap_ms: null,
  max_latency_ms: null,
  interval_ms: 1_000,
  timeout_ms: 11_000,
};

function watched(probes: readonly TopicProbe[]) {
  const rig = new MeterRig();
  const reports: (readonly RunCheck[])[] = [];
  const end = watchPublishing({ probes, meters: rig.meters, clock: rig.clock, report: (checks) => reports.push(checks) });
  return { rig, reports, end };
}

test("a topic is reported when it begins to keep its limits and when it ceases to, with the figures of that window", async () => {
  const { rig, reports, end } = watched([{ ...probe, min_rate: 3 }]);
  const begin = rig.clock.now();
  const windows = [3, 4, 2, 1, 3];
  for (const messages of windows) {
    for (let n = 0; n < messages; n++) rig.publish();
    await rig.clock.advance(1_000);
  }
  const check = { condition: "publishing", about: "a" };
  expect(reports).toEqual([
    [{ ...check, problem: null, since: begin + 1_000 }],
    [{ ...check, problem: "2 messages/s, at least 3 are expected", since: begin + 3_000 }],
    [{ ...check, problem: null, since: begin + 5_000 }],
  ]);
  end();
  await rig.clock.advance(10_000);
  expect([reports.length, rig.listeners.size]).toEqual([3, 0]);
});

test("without limits, a topic counts as published with its first message, and as silent after a window without any", async () => {
  const { rig, reports, end } = watched([probe]);
  rig.publish();
  expect(reports).toMatchObject([[{ problem: null }]]);
  await rig.clock.advance(2_000);
  expect(reports).toMatchObject([[{ problem: null }], [{ problem: "nothing was published for 1000 ms" }]]);
  end();
});

test("where ready and alive name the same topic, the limits of alive apply", () => {
  const alive = { probe: { ...probe, min_rate: 5 }, failures: 1 };
  expect(publishingProbes({ ready: { ...probe, min_rate: 1 }, alive })).toEqual([{ ...probe, min_rate: 5 }]);
  const other = { ...probe, topic: "b" };
  expect(publishingProbes({ ready: other, alive }).map(({ topic }) => topic)).toEqual(["b", "a"]);
  expect(publishingProbes({ ready: { kind: "time", ms: 5 }, alive: null })).toEqual([]);
});
