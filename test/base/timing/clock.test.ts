import { expect, it, vi } from "vitest";
import { pause, systemClock } from "../../../src/base/timing/clock.ts";

it("the wall clock is that of Date, and setting it does not change the monotonic clock", () => {
  const before = systemClock.monotonic();
  vi.useFakeTimers({ toFake: ["Date"], now: 0 });
  try {
    expect(systemClock.now()).toBe(0);
    expect(systemClock.monotonic()).toBeGreaterThanOrEqual(before);
  } finally {
    vi.useRealTimers();
  }
});

it("timers fire once, and not after they were cleared", async () => {
  const fired: string[] = [];
  const cleared = systemClock.setTimeout(() => fired.push("cleared"), 5);
  systemClock.clearTimeout(cleared);
  await new Promise<void>((resolve) => {
    systemClock.setTimeout(() => {
      fired.push("fired");
      resolve();
    }, 10);
  });
  expect(fired).toEqual(["fired"]);
  systemClock.clearTimeout(undefined);
  systemClock.clearTimeout(null);
});

it("a pause ends with its time, or with the signal's reason and no timer left", async () => {
  const timers = new Map<number, () => void>();
  const clock = {
    setTimeout: (callback: () => void) => {
      timers.set(timers.size + 1, callback);
      return timers.size;
    },
    clearTimeout: (handle: unknown) => void timers.delete(handle as number),
  };
  const over = pause(clock, 5, new AbortController().signal);
  timers.get(1)?.();
  await over;
  const controller = new AbortController();
  const aborted = pause(clock, 5, controller.signal);
  controller.abort(new Error("enough"));
  await expect(aborted).rejects.toThrow("enough");
  expect(timers.has(2)).toBe(false);
  await expect(pause(clock, 5, controller.signal)).rejects.toThrow("enough");
});
