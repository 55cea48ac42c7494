import { isShortage } from "../../base/errors.ts";

/**
 * Pause after the first sweep, milliseconds; each further one waits longer, up to the maximum: a tree that ends slowly is not polled all
 * the time.
 */
const FIRST_PAUSE_MS = 4;
const PAUSE_GROWTH = 1.6;
const MAX_PAUSE_MS = 250;
/** Sweeps use at most a third of the time, however often they are requested. */
const REST_PER_WORK = 2;
/** Time for which requests are collected, milliseconds: many children end at once. */
const GATHER_MS = 20;

/** Schedules sweeps: at once when requested, many requests together, then ever more rarely until there is nothing left to do. */
export class SweepTimer {
  readonly #sweep: () => boolean;
  readonly #idle = new Map<string, NodeJS.Timeout>();
  #timer: NodeJS.Timeout | null = null;
  #timerAt = 0;
  #pause = FIRST_PAUSE_MS;
  #restUntil = 0;
  #atOnceFrom = 0;
  #closed = false;

  /** `sweep` returns whether another one is needed. */
  constructor(sweep: () => boolean) {
    this.#sweep = sweep;
  }

  now(): void {
    this.#pause = FIRST_PAUSE_MS;
    this.#schedule(0);
  }

  /** Requests a sweep within `delay` milliseconds. */
  within(delay: number): void {
    this.#pause = FIRST_PAUSE_MS;
    if (this.#timer === null || performance.now() + delay < this.#timerAt) this.#schedule(delay);
  }

  /**
   * Calls `work` now, or once for all requests as soon as it takes no more than a third of the time. `minRest`: minimum pause after it,
   * milliseconds.
   */
  atOnce(work: () => void, minRest = 0): void {
    const begin = performance.now();
    if (this.#closed) return;
    if (begin < this.#atOnceFrom) {
      if (!this.#idle.has("at once")) this.#once("at once", this.#atOnceFrom - begin, () => this.atOnce(work, minRest));
      return;
    }
    try {
      unlessShort(work);
    } finally {
      const end = performance.now();
      this.#atOnceFrom = end + Math.max(minRest, (end - begin) * REST_PER_WORK);
    }
  }

  /** Calls `work` repeatedly, without keeping the program alive. `period` returns the next interval, milliseconds. */
  every(name: string, work: () => void, period: () => number): void {
    this.#once(name, period(), () => {
      try {
        work();
      } finally {
        this.every(name, work, period);
      }
    });
  }

  /** Calls `work` soon, once for all requests until then. */
  soon(name: string, work: () => void): void {
    if (!this.#idle.has(name)) this.#once(name, GATHER_MS, work);
  }

  close(): void {
    this.#closed = true;
    if (this.#timer) clearTimeout(this.#timer);
    for (const timer of this.#idle.values()) clearTimeout(timer);
    this.#idle.clear();
  }

  #once(name: string, delay: number, work: () => void): void {
    if (this.#closed) return;
    const timer = setTimeout(() => {
      this.#idle.delete(name);
      unlessShort(work);
    }, delay);
    timer.unref();
    this.#idle.set(name, timer);
  }

  #schedule(delay: number): void {
    if (this.#closed) return;
    if (this.#timer) clearTimeout(this.#timer);
    const now = performance.now();
    this.#timerAt = Math.max(now + delay, this.#restUntil);
    this.#timer = setTimeout(() => this.#run(), this.#timerAt - now);
  }

  #run(): void {
    this.#timer = null;
    const begin = performance.now();
    let again = true; // Also after a failure: a tree must not survive because /proc was unreadable for a moment (EMFILE).
    try {
      unlessShort(() => {
        again = this.#sweep();
      });
    } finally {
      const end = performance.now();
      this.#restUntil = end + (end - begin) * REST_PER_WORK;
      if (again && this.#timer === null) {
        this.#schedule(this.#pause);
        this.#pause = Math.min(this.#pause * PAUSE_GROWTH, MAX_PAUSE_MS);
      }
    }
  }
}

/** Runs `work` in a timer, where errors are not caught. Without descriptors nothing can be read now; the next scan makes up for it. */
function unlessShort(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!isShortage(error)) throw error;
  }
}
