/** Maximum delay, milliseconds: `setTimeout` supports 32-bit values. */
export const MAX_DURATION_MS = 24 * 24 * 3_600_000;

/** Time as a dependency, so that tests can control it. xstate's `clock` option uses its timers. */
export interface Clock {
  /** Wall clock, milliseconds since 1970. For display and logs only: it can be stepped. */
  now(): number;
  /** Monotonic clock, milliseconds from an arbitrary origin. For every duration and deadline. */
  monotonic(): number;
  setTimeout(callback: () => void, milliseconds: number): unknown;
  clearTimeout(handle: unknown): void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout: (callback, milliseconds) => setTimeout(callback, milliseconds),
  clearTimeout: (handle) => clearTimeout(handle as Parameters<typeof clearTimeout>[0]),
};

/** Resolves after `milliseconds`; aborting rejects with the signal's reason, and leaves no timer. */
export function pause(clock: Pick<Clock, "setTimeout" | "clearTimeout">, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clock.clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = clock.setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", abort, { once: true });
  });
}

/**
 * Milliseconds until the next multiple of `periodMs` on a monotonic clock, at least half a period. Such timers fire together, in one
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
