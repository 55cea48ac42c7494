import { expect, test } from "vitest";
import { pause } from "../../../../src/base/timing/clock.ts";
import { FINAL_PAUSE_MS, HostClock } from "../../../../src/features/host-clocks/manager/host-clock.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

const AHEAD = 1_300_000_000n;

/** A host that needs `takes` milliseconds for the way of each answer; its clock is ahead. */
function hostOf(clock: SimulatedClock, now: () => bigint, takes: (request: number) => number) {
  const asked: number[] = [];
  const request = async () => {
    asked.push(clock.monotonic());
    const time = String(now() + AHEAD);
    await pause(clock, takes(asked.length));
    return { time };
  };
  // Only these parts of a session are used.
  const session = { command: (send: (id: string) => unknown) => send("s"), link: { request } } as never;
  return { session, asked };
}

test("the final measurements are spaced, so that a busy moment of the machines does not make all of them inexact", async () => {
  const clock = new SimulatedClock();
  const now = () => BigInt(Math.round(clock.now() * 1_000)) * 1_000n;
  const BUSY_MS = 100;
  let begin = Number.POSITIVE_INFINITY;
  const { session, asked } = hostOf(clock, now, () => (clock.monotonic() < begin + BUSY_MS ? 10 : 0.5));
  const host = new HostClock({ clock, now });
  begin = clock.monotonic();
  host.begin(session);
  const refined = host.refine();
  await clock.until(refined);
  const answered = host.at(now());
  expect(asked.at(-1)).toBeGreaterThanOrEqual(begin + 7 * FINAL_PAUSE_MS);
  expect(Number(answered?.uncertainty) / 1e6).toBeLessThan(1);
  expect(Math.abs(Number(answered?.offset) - Number(AHEAD))).toBeLessThanOrEqual(Number(answered?.uncertainty));
  host.close();
});
