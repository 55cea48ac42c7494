import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { everyBeat, untilBeat } from "../../../src/base/timing/clock.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a beat is the next multiple of the period, at least half a period away", () => {
  expect(untilBeat(1_000, 0)).toBe(1_000);
  expect(untilBeat(1_000, 400)).toBe(600);
  expect(untilBeat(1_000, 600)).toBe(1_400);
  // A timer that fires a moment early does not fire twice.
  expect(untilBeat(1_000, 1_999.5)).toBe(1_000.5);
});

test("timers that begin at different times fire together", async () => {
  const beats: string[] = [];
  const at = (who: string) => () => beats.push(`${who} ${Math.round(performance.now())}`);
  vi.advanceTimersByTime(10_000 - (performance.now() % 10_000));
  const begin = performance.now();
  const endFirst = everyBeat(1_000, at("a"));
  vi.advanceTimersByTime(300);
  const endSecond = everyBeat(1_000, at("b"));
  vi.advanceTimersByTime(1_700);
  const seconds = [1_000, 2_000].map((ms) => begin + ms);
  expect(beats).toEqual(seconds.flatMap((ms) => [`a ${ms}`, `b ${ms}`]));
  endFirst();
  endSecond();
  expect(vi.getTimerCount()).toBe(0);
});
