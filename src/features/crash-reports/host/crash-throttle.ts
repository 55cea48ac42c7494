import type { Clock } from "../../../base/timing/clock.ts";
import { REPORT_EVERY_MS } from "../limits.ts";

interface Entry<C> {
  /** The newest crash that has no report yet. */
  waiting: C | null;
  /** Crashes without a report since the last one that got one. */
  skipped: number;
  timer: unknown;
}

/**
 * Limits the reports of each process: the first crash gets one at once, then the newest one of each interval. The others are counted. A
 * process that crashes ten times a second costs a report every ten seconds.
 */
export class CrashThrottle<C> {
  readonly #clock: Clock;
  readonly #make: (crash: C, skipped: number) => void;
  readonly #entries = new Map<string, Entry<C>>();

  constructor(clock: Clock, make: (crash: C, skipped: number) => void) {
    this.#clock = clock;
    this.#make = make;
  }

  crashed(name: string, crash: C): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) {
      const added: Entry<C> = { waiting: null, skipped: 0, timer: null };
      this.#entries.set(name, added);
      this.#begin(name, added, crash);
      return;
    }
    if (entry.waiting !== null) entry.skipped++;
    entry.waiting = crash;
  }

  /** A crash could not get its report after all. */
  notMade(name: string, skipped: number): void {
    const entry = this.#entries.get(name);
    if (entry !== undefined) entry.skipped += skipped + 1;
  }

  close(): void {
    for (const { timer } of this.#entries.values()) this.#clock.clearTimeout(timer);
    this.#entries.clear();
  }

  #begin(name: string, entry: Entry<C>, crash: C): void {
    const { skipped } = entry;
    entry.waiting = null;
    entry.skipped = 0;
    entry.timer = this.#clock.setTimeout(() => this.#over(name, entry), REPORT_EVERY_MS);
    this.#make(crash, skipped);
  }

  #over(name: string, entry: Entry<C>): void {
    if (entry.waiting === null) this.#entries.delete(name);
    else this.#begin(name, entry, entry.waiting);
  }
}
