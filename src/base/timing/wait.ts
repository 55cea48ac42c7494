import { type Clock, pause, systemClock } from "./clock.ts";
import { onAbort } from "./on-abort.ts";

type Timers = Pick<Clock, "setTimeout" | "clearTimeout">;

/** Settles as `promise` does, or as `fallback` does after `milliseconds`; a later result of `promise` is ignored. */
export function withFallback<T, F>(
  promise: Promise<T>,
  milliseconds: number,
  fallback: () => F,
  clock: Timers = systemClock,
): Promise<T | F> {
  return new Promise<T | F>((resolve, reject) => {
    const timer = clock.setTimeout(() => {
      try {
        resolve(fallback());
      } catch (error) {
        reject(error);
      }
    }, milliseconds);
    promise.then(resolve, reject).finally(() => clock.clearTimeout(timer));
  });
}

/** Settles as `promise` does, or rejects with `error()` after `milliseconds`. */
export function withTimeout<T>(promise: Promise<T>, milliseconds: number, error: () => Error, clock: Timers = systemClock): Promise<T> {
  const fail = (): never => {
    throw error();
  };
  return withFallback(promise, milliseconds, fail, clock);
}

/** Resolves with whether `promise` is fulfilled within `milliseconds`; rejects if it rejects by then. */
export function resolvesWithin(promise: Promise<unknown>, milliseconds: number, clock: Timers = systemClock): Promise<boolean> {
  return withFallback(
    promise.then(() => true),
    milliseconds,
    () => false,
    clock,
  );
}

/**
 * Resolves once `isMet` holds: now, or after a call of the function that `subscribe` receives. Rejects with the error that `isMet` throws, and with
 * the reason of `signal`. It unsubscribes in any case.
 */
export function until(isMet: () => boolean, subscribe: (check: () => void) => () => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    let unsubscribeAll = () => {};
    let isOver = false;
    const settle = (conclude: () => void) => {
      isOver = true;
      unsubscribeAll();
      conclude();
    };
    const check = () => {
      if (isOver) return;
      try {
        if (isMet()) settle(resolve);
      } catch (error) {
        settle(() => reject(error));
      }
    };
    if (signal.aborted) return reject(signal.reason);
    const unsubscribeSignal = onAbort(signal, () => settle(() => reject(signal.reason)));
    const unsubscribe = subscribe(check);
    unsubscribeAll = () => {
      unsubscribeSignal();
      unsubscribe();
    };
    // The condition was met by a call during the subscription.
    if (isOver) unsubscribeAll();
    else check();
  });
}

interface Limits {
  readonly forMs: number;
  readonly clock?: Timers;
  /** Ends the wait when it is aborted: its reason rejects the promise. */
  readonly signal?: AbortSignal;
}

/** As `until`, but resolves with whether the condition is met within `forMs`. */
export async function untilWithin(
  isMet: () => boolean,
  subscribe: (check: () => void) => () => void,
  { forMs, clock = systemClock, signal = new AbortController().signal }: Limits,
): Promise<boolean> {
  let isLate = false;
  const subscribeWithTimer = (check: () => void) => {
    const unsubscribe = subscribe(check);
    const timer = clock.setTimeout(() => {
      isLate = true;
      check();
    }, forMs);
    return () => {
      clock.clearTimeout(timer);
      unsubscribe();
    };
  };
  await until(() => isLate || isMet(), subscribeWithTimer, signal);
  return !isLate;
}

/** Never resolves: rejects with the reason of `signal` once that is aborted. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    else onAbort(signal, () => reject(signal.reason));
  });
}

interface Polling extends Limits {
  readonly everyMs: number;
  readonly clock?: Clock;
}

/** Checks a condition that no event announces. Resolves with whether it is met within `forMs`. */
export async function poll(
  isMet: () => boolean | Promise<boolean>,
  { everyMs, forMs, clock = systemClock, signal }: Polling,
): Promise<boolean> {
  const deadline = clock.monotonic() + forMs;
  while (!(await isMet())) {
    if (clock.monotonic() > deadline) return false;
    await pause(clock, everyMs, signal);
  }
  return true;
}
