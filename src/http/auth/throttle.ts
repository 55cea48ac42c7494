/** Number of failures without a wait. */
const MAX_FREE_FAILURES = 30;
/** Maximum wait, seconds; the wait doubles with each further failure. */
const MAX_WAIT_SECONDS = 60;
/** Failures are forgotten after this much quiet, ms. */
const FORGET_MS = 10 * 60_000;
/** Maximum number of keys; the one with the oldest failure is dropped first. */
const MAX_KEYS = 10_000;

interface Failures {
  count: number;
  /** Monotonic time, ms. */
  last: number;
}

/** Slows down guessing: counts failures per key (an address, a user). */
export class Throttle {
  readonly #failures = new Map<string, Failures>();
  readonly #monotonic: () => number;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** Seconds until all of `keys` may try again; 0: now. */
  wait(keys: readonly string[]): number {
    return Math.max(0, ...keys.map((key) => this.#waitOf(key)));
  }

  failed(keys: readonly string[]): void {
    const last = this.#monotonic();
    for (const key of keys) {
      const count = (this.#recent(key)?.count ?? 0) + 1;
      // The key is removed first: a map keeps its order, so its first key has the oldest failure.
      this.#failures.delete(key);
      this.#failures.set(key, { count, last });
    }
    for (const key of this.#failures.keys()) {
      if (this.#failures.size <= MAX_KEYS) break;
      this.#failures.delete(key);
    }
  }

  succeeded(keys: readonly string[]): void {
    for (const key of keys) this.#failures.delete(key);
  }

  #waitOf(key: string): number {
    const failures = this.#recent(key);
    if (!failures || failures.count < MAX_FREE_FAILURES) return 0;
    const wait = Math.min(MAX_WAIT_SECONDS, 2 ** Math.min(16, failures.count - MAX_FREE_FAILURES));
    return Math.max(0, Math.ceil(wait - (this.#monotonic() - failures.last) / 1_000));
  }

  #recent(key: string): Failures | undefined {
    const failures = this.#failures.get(key);
    return failures && this.#monotonic() - failures.last < FORGET_MS ? failures : undefined;
  }
}
