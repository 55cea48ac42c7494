import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { SweepTimer } from "../../../src/daemon/tree/sweep-timer.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

it("immediate work takes at most a third of the time, and pauses independently of sweeps", () => {
  let sweeps = 0;
  const timer = new SweepTimer(() => {
    sweeps++;
    vi.advanceTimersByTime(9);
    return false;
  });
  let checks = 0;
  const check = () => {
    checks++;
    vi.advanceTimersByTime(3);
  };
  timer.now();
  vi.advanceTimersByTime(1);
  expect(sweeps).toBe(1);
  // The sweep took 9 ms and rests for 18; this does not wait for it.
  timer.atOnce(check);
  timer.atOnce(check);
  timer.atOnce(check);
  expect(checks).toBe(1);
  // It took 3 ms and rests for 6; then both requests are answered by one look.
  vi.advanceTimersByTime(5);
  expect(checks).toBe(1);
  vi.advanceTimersByTime(60);
  expect(checks).toBe(2);
  timer.atOnce(check);
  timer.atOnce(check);
  expect(checks).toBe(3);
  vi.advanceTimersByTime(60);
  timer.atOnce(check, 20);
  timer.atOnce(check, 20);
  vi.advanceTimersByTime(19);
  expect(checks).toBe(5);
  vi.advanceTimersByTime(60);
  expect(checks).toBe(6);
  timer.close();
  vi.advanceTimersByTime(60);
  timer.atOnce(check);
  expect(checks).toBe(6);
});

it("a deferrable sweep delays no earlier sweep, and comes before a later one", () => {
  let sweeps = 0;
  const timer = new SweepTimer(() => {
    sweeps++;
    return false;
  });
  timer.within(30);
  vi.advanceTimersByTime(20);
  timer.within(30);
  vi.advanceTimersByTime(10);
  expect(sweeps).toBe(1);
  timer.within(30);
  timer.within(5);
  vi.advanceTimersByTime(5);
  expect(sweeps).toBe(2);
  vi.advanceTimersByTime(60);
  expect(sweeps).toBe(2);
  timer.close();
});
