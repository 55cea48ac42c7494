import { expect, test } from "vitest";
import { MeterRig } from "./meter-rig.ts";

test("a window counts its messages, the longest gap and the longest latency", async () => {
  const rig = new MeterRig();
  let calls = 0;
  const window = rig.meters.begin("a", () => calls++);
  for (const [pause, latency] of [
    [10, 1],
    [30, 4],
    [20, 2],
  ] as const) {
    await rig.clock.advance(pause);
    rig.publish(latency);
  }
  await rig.clock.advance(5);
  expect([calls, window.measured()]).toEqual([3, { messages: 3, ms: 65, gapMs: 27, latencyMs: 4 }]);
});

test("a gap that spans two windows counts in the later one, and silence counts as a gap that has not ended", async () => {
  const rig = new MeterRig();
  const first = rig.meters.begin("a", () => {});
  rig.publish();
  await rig.clock.advance(100);
  first.end();
  const second = rig.meters.begin("a", () => {});
  await rig.clock.advance(50);
  expect(second.measured()).toEqual({ messages: 0, ms: 50, gapMs: 150, latencyMs: null });
  rig.publish();
  await rig.clock.advance(20);
  expect(second.measured()).toEqual({ messages: 1, ms: 70, gapMs: 150, latencyMs: null });
});

test("a topic is measured for all of its windows at once, and no longer than needed", async () => {
  const rig = new MeterRig();
  const windows = [rig.meters.begin("a", () => {}), rig.meters.begin("a", () => {})];
  expect(rig.listeners.size).toBe(1);
  rig.publish();
  expect(windows.map((window) => window.measured().messages)).toEqual([1, 1]);
  for (const window of windows) window.end();
  await rig.clock.advance(4_000);
  expect(rig.listeners.size).toBe(1);
  await rig.clock.advance(2_000);
  expect(rig.listeners.size).toBe(0);
  rig.meters.begin("a", () => {}).end();
  rig.meters.close();
  expect(rig.listeners.size).toBe(0);
});
