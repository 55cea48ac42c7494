import { expect, test } from "vitest";
import type { Tap, TapListener, TappedMessage } from "../../../../src/features/data-plane/host/index.ts";
import { TopicMeters } from "../../../../src/features/topic-health/host/topic-meter.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

const NS_PER_MS = 1_000_000n;

/** A tap without a broker, whose messages arrive by the simulated clock. */
class Rig {
  readonly clock = new SimulatedClock();
  readonly listeners = new Set<TapListener>();
  readonly meters = new TopicMeters(
    {
      add: (matches: (topic: string) => boolean, listener: TapListener) => {
        expect([matches("a"), matches("b")]).toEqual([true, false]);
        this.listeners.add(listener);
        return () => this.listeners.delete(listener);
      },
    } as unknown as Tap,
    this.clock,
  );

  /** `latencyMs`: null: the publisher does not state its time. */
  publish(latencyMs: number | null = null): void {
    const received = BigInt(Math.round(this.clock.monotonic())) * NS_PER_MS;
    const published = latencyMs === null ? null : received - BigInt(latencyMs) * NS_PER_MS;
    const rest = { topic: "a", definition: "", definitionName: "", encoding: "raw", sequence: null, payload: new Uint8Array(0) };
    for (const listener of this.listeners) listener({ ...rest, received, published } satisfies TappedMessage);
  }
}

test("a window counts its messages, the longest gap and the longest latency", async () => {
  const rig = new Rig();
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
  const rig = new Rig();
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
  const rig = new Rig();
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
