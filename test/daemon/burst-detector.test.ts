import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, expect, it, vi } from "vitest";
import { BurstDetector } from "../../src/daemon/burst-detector.ts";
import { bundled } from "../support/bundled.ts";

afterEach(() => {
  vi.useRealTimers();
});

it("sets the flag of a real V8, takes it back in a burst, and sets it again", async () => {
  const program = await bundled("test/fixtures/burst-flags.ts");
  expect((await promisify(execFile)(process.execPath, [program])).stdout).toBe("quiet, burst, quiet\n");
});

it("is quiet once nothing has been collected for a while, and busy again in a burst", () => {
  vi.useFakeTimers();
  const told: boolean[] = [];
  const detector = new BurstDetector({ quietAfter: { collections: 3_000 }, changed: (isQuiet) => told.push(isQuiet) });
  // The timer begins anew with each collection.
  for (const at of [0, 1_000, 2_000]) {
    vi.advanceTimersByTime(1_000);
    detector.collected("young", at);
  }
  vi.advanceTimersByTime(2_999);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(told).toEqual([true]);

  // Now and then: of a program that is quiet, or of the collector that makes the heap small.
  for (const at of [10_000, 11_000]) detector.collected("young", at);
  for (const at of [11_100, 11_200]) detector.collected("all", at);
  vi.advanceTimersByTime(60_000);
  expect(told).toEqual([true]);

  detector.collected("young", 80_000);
  detector.collected("young", 80_100);
  expect(told).toEqual([true, false]);
  vi.advanceTimersByTime(3_000);
  expect(told).toEqual([true, false, true]);
});

it("without regard to single collections, is quiet once there has been no burst for a while", () => {
  vi.useFakeTimers();
  const told: boolean[] = [];
  const detector = new BurstDetector({ quietAfter: { bursts: 3_000 }, changed: (isQuiet) => told.push(isQuiet) });
  detector.collected("young", 0);
  vi.advanceTimersByTime(2_000);
  detector.collected("young", 2_000);
  detector.collected("young", 2_100);
  vi.advanceTimersByTime(2_000);
  detector.collected("young", 4_100);
  detector.collected("all", 4_200);
  vi.advanceTimersByTime(999);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(told).toEqual([true]);

  detector.collected("young", 9_000);
  detector.collected("young", 9_100);
  expect(told).toEqual([true, false]);
  vi.advanceTimersByTime(3_000);
  expect(told).toEqual([true, false, true]);

  // It is announced.
  detector.begin();
  expect(told).toEqual([true, false, true, false]);
  vi.advanceTimersByTime(3_000);
  expect(told).toEqual([true, false, true, false, true]);
});
