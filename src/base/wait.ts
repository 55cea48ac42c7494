import { type Clock, pause, systemClock } from "./clock.ts";
import { onAbort } from "./on-abort.ts";

type Timers = Pick<Clock, "setTimeout" | "clearTimeout">;

/** Settles as `promise` does, or rejects with `error()` after `milliseconds`; a later result of `promise` is ignored. */
export function withTimeout<T>(promise: Promise<T>, milliseconds: number, error: () => Error, clock: Timers = systemClock): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = clock.setTimeout(() => reject(error()), milliseconds);
    promise.then(resolve, reject).finally(() => clock.clearTimeout(timer));
  });
}

/**
 * Resolves once `isMet` holds: now, or after a call of the function that `subscribe` receives. Rejects with the error that `isMet` throws, and with
 * the reason of `signal`. It unsubscribes in any case.
 */
export function until(isMet: () => boolean, subscribe: (check: () => void) => () => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    let leave = () => {};
    let isOver = false;
    const settle = (conclude: () => void) => {
      isOver = true;
      leave();
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
    const leaveSignal = onAbort(signal, () => settle(() => reject(signal.reason)));
    const unsubscribe = subscribe(check);
    leave = () => {
      leaveSignal();
      unsubscribe();
    };
    // The condition was met by a call during the subscription.
    if (isOver) leave();
    else check();
  });
}

/** Never resolves: rejects with the reason of `signal` once that is aborted. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    else onAbort(signal, () => reject(signal.reason));
  });
}

interface Polling {
  readonly everyMs: number;
  readonly forMs: number;
  readonly clock?: Clock;
  /** When aborted, its reason rejects the promise. */
  readonly signal?: AbortSignal;
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
