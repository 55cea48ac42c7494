import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { SweepTimer } from "../../../src/daemon/tree/sweep-timer.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

it("what is done at once takes a third of the time at most, and rests apart from sweeps", () => {
  let sweeps = 0;
  const timer = new SweepTimer(() => {
    sweeps++;
    vi.advanceTimersByTime(9);
    return false;
  });
  let looks = 0;
  const look = () => {
    looks++;
    vi.advanceTimersByTime(3);
  };
  timer.now();
  vi.advanceTimersByTime(1);
  expect(sweeps).toBe(1);
  // The sweep took 9 ms and rests for 18; this does not wait for it.
  timer.atOnce(look);
  timer.atOnce(look);
  expect(looks).toBe(1);
  vi.advanceTimersByTime(6);
  timer.atOnce(look);
  expect(looks).toBe(2);
  timer.close();
  vi.advanceTimersByTime(6);
  timer.atOnce(look);
  expect(looks).toBe(2);
});
