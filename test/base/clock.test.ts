import { expect, it, vi } from "vitest";
import { systemClock } from "../../src/base/clock.ts";

it("the wall clock is Date's, the monotonic one does not follow it when it is set", () => {
  expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1_000);
  const before = systemClock.monotonic();
  vi.useFakeTimers({ toFake: ["Date"], now: 0 });
  try {
    expect(systemClock.now()).toBe(0);
    const passed = systemClock.monotonic() - before;
    expect(passed).toBeGreaterThanOrEqual(0);
    expect(passed).toBeLessThan(5_000);
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
