import { isShortage } from "../../base/errors.ts";

/** Pause after the first sweep, milliseconds; each further one waits longer, up to the slowest: a tree that takes its time is not stared at. */
const FIRST_PAUSE_MS = 4;
const PAUSE_GROWTH = 1.6;
const SLOWEST_PAUSE_MS = 250;
/** Sweeps take at most a third of the time, however often they are asked for. */
const REST_PER_WORK = 2;
/** Many children end at once: one look for all of them, milliseconds. */
const GATHER_MS = 20;

/** When sweeps run: at once when asked for, many requests together, then ever more rarely until there is nothing left to do. */
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

  /** Within so many milliseconds, at the latest. */
  within(delay: number): void {
    this.#pause = FIRST_PAUSE_MS;
    if (this.#timer === null || performance.now() + delay < this.#timerAt) this.#schedule(delay);
  }

  /** Calls `work` now, or once for all requests as soon as it takes no more than a third of the time. `minRest`: at least so many milliseconds after it. */
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

  /** Calls `work` again and again as long as nothing else keeps the program alive. `period`: milliseconds, asked each time. */
  every(name: string, work: () => void, period: () => number): void {
    this.#once(name, period(), () => {
      try {
        work();
      } finally {
        this.every(name, work, period);
      }
    });
  }

  /** Calls `work` soon, once for all requests till then. */
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
    let again = true; // Also after a failure: /proc out of reach for a moment (EMFILE) must not let a tree live.
    try {
      unlessShort(() => {
        again = this.#sweep();
      });
    } finally {
      const end = performance.now();
      this.#restUntil = end + (end - begin) * REST_PER_WORK;
      if (again && this.#timer === null) {
        this.#schedule(this.#pause);
        this.#pause = Math.min(this.#pause * PAUSE_GROWTH, SLOWEST_PAUSE_MS);
      }
    }
  }
}

/** Nothing above a timer catches what it throws. Without descriptors nothing can be seen now; the next look makes up for it. */
function unlessShort(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!isShortage(error)) throw error;
  }
}
