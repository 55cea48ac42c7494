import { type Clock, systemClock } from "./clock.ts";

/**
 * Milliseconds until the next multiple of `periodMs` on a monotonic clock, at least half a period. Timers that wait so fire together, in one
 * turn of the event loop: an idle program wakes up less often.
 */
export function untilBeat(periodMs: number, monotonic: number): number {
  const left = periodMs - (monotonic % periodMs);
  return left < periodMs / 2 ? left + periodMs : left;
}

/** Calls `work` at each multiple of `periodMs`, as long as something else keeps the program alive. Returns the function that ends this. */
export function everyBeat(periodMs: number, work: () => void, clock: Clock = systemClock): () => void {
  let timer: unknown;
  const next = () => {
    timer = clock.setTimeout(
      () => {
        next();
        work();
      },
      untilBeat(periodMs, clock.monotonic()),
    );
    // In a browser, a timer is a number.
    (timer as { unref?: () => void }).unref?.();
  };
  next();
  return () => clock.clearTimeout(timer);
}
