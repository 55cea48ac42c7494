/**
 * The body of an asynchronous property: after `milliseconds`, all further runs succeed at once. The first run always completes, and no run is
 * abandoned half way, as by `interruptAfterTimeLimit` of fast-check, which fails if not even one run is complete in time.
 */
export function timedRuns<Values extends unknown[]>(
  milliseconds: number,
  body: (...values: Values) => Promise<void>,
): (...values: Values) => Promise<void> {
  let end: number | null = null;
  return async (...values) => {
    end ??= performance.now() + milliseconds;
    if (performance.now() <= end) await body(...values);
  };
}

/** For `interruptAfterTimeLimit`, where `timedRuns` bounds the time: never. */
export const NO_INTERRUPT_MS = 2 ** 31 - 1;
