import { SimulatedClock } from "xstate";
import type { Clock } from "../../../src/base/timing/clock.ts";

/** Wall time at which simulated clocks begin. */
export const WALL = Date.UTC(2026, 10, 21, 8, 0, 0);

export interface TestClock extends Clock {
  advance(milliseconds: number): void;
}

export function testClock(): TestClock {
  const simulated = new SimulatedClock();
  return {
    now: () => WALL + simulated.now(),
    monotonic: () => simulated.now(),
    setTimeout: (callback, milliseconds) => simulated.setTimeout(callback, milliseconds),
    clearTimeout: (handle) => simulated.clearTimeout(handle as number),
    // In steps: the simulated clock jumps first and fires then, so a timer set by a timer would start at the far end.
    advance: (milliseconds) => {
      for (let left = milliseconds; left > 0; left -= 1_000) simulated.increment(Math.min(left, 1_000));
    },
  };
}
