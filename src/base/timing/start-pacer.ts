import type { Cancellation } from "./cancellation.ts";
import type { Clock } from "./clock.ts";

interface Waiting {
  go(): void;
}

/** Lets through at most `rate` starts a second (`hosts.<name>.start_rate`), in order of arrival. */
export class StartPacer {
  readonly #clock: Clock;
  readonly #rate: () => number | null;
  readonly #queue = new Set<Waiting>();
  /** Monotonic time from which the next start is allowed. */
  #next = 0;
  #timer: unknown = null;

  constructor(clock: Clock, rate: () => number | null) {
    this.#clock = clock;
    this.#rate = rate;
  }

  /** Resolves when it is the caller's turn; rejects when `task` is cancelled. */
  turn(cancellation: Pick<Cancellation, "signal">): Promise<void> {
    if (this.#rate() === null && this.#queue.size === 0) return Promise.resolve();
    const { signal } = cancellation;
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const remove = () => {
        this.#queue.delete(waiting);
        reject(signal.reason);
      };
      const waiting: Waiting = {
        go: () => {
          signal.removeEventListener("abort", remove);
          resolve();
        },
      };
      signal.addEventListener("abort", remove, { once: true });
      this.#queue.add(waiting);
      this.#advance();
    });
  }

  close(): void {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** The rate is read again each time: a reload also changes it for waiting starts. */
  #advance(): void {
    if (this.#timer !== null) return;
    for (const waiting of this.#queue) {
      const now = this.#clock.monotonic();
      if (this.#next > now) {
        this.#timer = this.#clock.setTimeout(() => {
          this.#timer = null;
          this.#advance();
        }, this.#next - now);
        return;
      }
      const rate = this.#rate();
      this.#next = rate === null ? 0 : Math.max(now, this.#next) + 1_000 / rate;
      this.#queue.delete(waiting);
      waiting.go();
    }
  }
}
