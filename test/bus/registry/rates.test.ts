import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { Registry } from "../../../src/bus/registry/registry.ts";
import { TopicRate } from "../../../src/bus/registry/topic-rate.ts";
import { COUNTERS_MS, type RegistryChange } from "../../../src/contract/registry.ts";
import { RegistryRig } from "./registry-rig.ts";

/** Of the true rate. */
const TOLERANCE = 0.02;
const WINDOW_MS = 1_000;
const EARLY_MS = 50;

it("a rate is within 2 % of the true one, however late the timer of the reports is", () => {
  const lateness = fc.oneof({ weight: 4, arbitrary: fc.integer({ min: -1, max: 20 }) }, { weight: 1, arbitrary: fc.nat(3_000) });
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 1_000_000 }), fc.array(lateness, { minLength: 4, maxLength: 30 }), (hertz, delays) => {
      const rate = new TopicRate();
      let at = 123_456.7;
      for (const [n, delay] of delays.entries()) {
        at += COUNTERS_MS + delay;
        const packets = Math.floor((at * hertz) / 1_000);
        rate.read(at, packets, packets * 128);
        // Less than a second after the first reading there is no full second yet.
        if (n < 3) continue;
        expect(Math.abs(rate.packets / hertz - 1)).toBeLessThan(TOLERANCE);
        expect(rate.bytes).toBeCloseTo(rate.packets * 128, 3);
      }
    }),
  );
});

it("a rate is measured over one second if the reports are on time: a publisher that stops has the rate 0 after it", () => {
  const rate = new TopicRate();
  for (let n = 0; n <= 10; n++) rate.read(n * COUNTERS_MS, n * 50, 0);
  expect(rate.packets).toBe(100);
  for (let n = 1; n <= 2; n++) rate.read((10 + n) * COUNTERS_MS, 500, 0);
  expect(rate.packets).toBe(0);
});

it("a program that continues the readings of an earlier one knows its rate at once", () => {
  const before = new TopicRate();
  for (let n = 0; n <= 4; n++) before.read(n * COUNTERS_MS, n * 50, n * 400);
  const after = new TopicRate();
  // On the clock of the next program.
  after.restore(before.readings.map((reading) => ({ ...reading, at: reading.at - 10_000 })));
  expect([after.packets, after.bytes]).toEqual([100, 800]);
  after.read(5 * COUNTERS_MS - 10_000, 500, 4_000);
  expect([after.packets, after.bytes]).toEqual([350, 2_800]);
});

it("each reported rate is within 2 % of the messages between the reports that it is measured between, by the reporter's clock", async () => {
  await using rig = await RegistryRig.start();
  const publisher = await rig.client("driver", [{ name: "arm/state", encoding: "raw" }]);
  const sending = setInterval(() => {
    for (let n = 0; n < 5; n++) publisher.publish("topic.arm.state", "12345678");
  }, 5);
  try {
    await expect.poll(() => compared(rig.changes).length).toBeGreaterThanOrEqual(2);
  } finally {
    clearInterval(sending);
  }
  for (const { rate, truth } of compared(rig.changes)) expect(Math.abs(rate / truth - 1)).toBeLessThan(TOLERANCE);
});

it("without topics there is no timer", () => {
  vi.useFakeTimers();
  try {
    const registry = new Registry({ host: "a", server: "hub", place: () => ({ port: 0, unix_socket: null }), log: () => {} });
    expect(vi.getTimerCount()).toBe(0);
    registry.ended();
  } finally {
    vi.useRealTimers();
  }
});

/** Reported rates, and what the counts of that report and of the one a second before say. */
function compared(changes: readonly RegistryChange[]): { rate: number; truth: number }[] {
  const reports = changes.flatMap((change) => (change.kind === "counters" ? [change.counters] : []));
  return reports.flatMap(({ at, packets, rate }, n) => {
    const first = reports.slice(0, n).findLast((report) => report.at <= at - WINDOW_MS + EARLY_MS);
    // Before the first message, nothing changes and nothing is reported.
    if (first === undefined || first.packets === 0 || packets === first.packets) return [];
    return [{ rate, truth: ((packets - first.packets) * 1_000) / (at - first.at) }];
  });
}
