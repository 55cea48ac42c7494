import { MgrError } from "../base/errors.ts";
import type { Clock } from "../base/timing/clock.ts";
import { isWorkDue } from "../base/timing/turns.ts";
import { atSite } from "../client/wait.ts";
import { parseTime } from "../protocol/time.ts";

/** Default wall time at which simulated time begins. */
const BEGIN = "2026-01-01T00:00:00.000";
/** Number of turns of the event loop after which everything that depends only on promises has happened. */
const SETTLING_TURNS = 4;
/** Maximum number of turns for work that is spread over many: a hundred thousand processes need some 3,000. */
const MAX_TURNS = 100_000;
/** Maximum time that `until` advances, milliseconds: an hour, in a fraction of a second. */
const MAX_MS = 3_600_000;

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

/**
 * A clock that the test advances. It drives a manager's statecharts, waits, time-outs and backoff; displayed times begin at
 * 2026-01-01T00:00:00.000. Timers fire in the order of their times, and all effects of one happen before the next. Real programs and sockets do not
 * wait for it: use it with a fake host.
 */
export class SimulatedClock implements Clock {
  readonly #begin: number;
  readonly #timers = new Map<number, Timer>();
  #elapsed = 0;
  #lastTimer = 0;

  /** `begin`: a time as the protocol writes it. Throws RangeError for any other text. */
  constructor(begin: string = BEGIN) {
    this.#begin = parseTime(begin);
  }

  now(): number {
    return this.#begin + this.#elapsed;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  setTimeout(callback: () => void, milliseconds: number): unknown {
    // As in Node, a delay below 1 or one that is not a number counts as 1.
    const delay = milliseconds >= 1 ? milliseconds : 1;
    this.#timers.set(++this.#lastTimer, { due: this.#elapsed + delay, callback });
    return this.#lastTimer;
  }

  clearTimeout(handle: unknown): void {
    this.#timers.delete(handle as number);
  }

  /** Number of timers that are set. */
  get pending(): number {
    return this.#timers.size;
  }

  /** When the next timer fires, on the monotonic clock; null: none is set. */
  get nextDue(): number | null {
    let next: number | null = null;
    for (const { due } of this.#timers.values()) if (next === null || due < next) next = due;
    return next;
  }

  /** Runs everything that needs no time: promises, work on thousands of processes that is spread over many turns, and their effects. */
  async settle(): Promise<void> {
    let quiet = 0;
    for (let turn = 0; turn < MAX_TURNS && quiet < SETTLING_TURNS; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      quiet = isWorkDue() ? 0 : quiet + 1;
    }
  }

  /** Advances by `milliseconds`, and runs everything that is due meanwhile. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#elapsed + milliseconds;
    await this.settle();
    while (this.#fireNext(end)) await this.settle();
    this.#elapsed = end;
    await this.settle();
  }

  /**
   * Advances until `promise` settles, and settles like it. Rejects with `timeout` if no timer is left, or after `within` milliseconds of simulated
   * time (an hour).
   */
  async until<T>(promise: Promise<T>, { within = MAX_MS }: { within?: number } = {}): Promise<T> {
    const site = new Error();
    const end = this.#elapsed + within;
    let isSettled = false;
    const noted = () => {
      isSettled = true;
    };
    promise.then(noted, noted);
    await this.settle();
    while (!isSettled && this.#fireNext(end)) await this.settle();
    if (isSettled) return promise;
    throw atSite(new MgrError("timeout", `the promise did not settle within ${within} ms of simulated time`), site);
  }

  /** Jumps to the next timer that is due by `end` and fires it; false if there is none. */
  #fireNext(end: number): boolean {
    let next: [number, Timer] | null = null;
    for (const entry of this.#timers) if (next === null || entry[1].due < next[1].due) next = entry;
    if (next === null || next[1].due > end) return false;
    const [handle, { due, callback }] = next;
    this.#timers.delete(handle);
    this.#elapsed = Math.max(this.#elapsed, due);
    callback();
    return true;
  }
}
