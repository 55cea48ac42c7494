import type { Figures } from "../../series.ts";
import { WATCHED_SAMPLE_MS } from "../../series.ts";
import { slotNumber } from "./layout.ts";

/** One sample each second, while a process is watched. What was not measured is NaN. */
export class SecondRing {
  readonly #series: number;
  readonly #length: number;
  readonly #figures: Float32Array;
  /** The oldest second that it can answer for, and the newest one; 0: none. */
  #first = 0;
  #newest = 0;

  constructor(series: number, length: number) {
    this.#series = series;
    this.#length = length;
    this.#figures = new Float32Array(series * length).fill(Number.NaN);
  }

  /** Numbers of the seconds that it covers: from (included), until (excluded). */
  get reach(): { from: number; until: number } {
    if (this.#newest === 0) return { from: 0, until: 0 };
    return { from: Math.max(this.#first, this.#newest - this.#length + 1), until: this.#newest + 1 };
  }

  put(number: number, figures: Figures): void {
    if (this.#newest === 0) this.#first = number;
    else if (number < this.#newest) this.#discardAfter(number);
    // Seconds between that were not measured must not show what was at their place before.
    const skipped = Math.max(this.#newest + 1, number - this.#length + 1);
    if (this.#newest !== 0) for (let each = skipped; each < number; each++) this.#fill(each, () => Number.NaN);
    this.#fill(number, (at) => figures[at] ?? Number.NaN);
    this.#newest = Math.max(this.#newest, number);
  }

  /** One series of a second; NaN: not known. */
  get(number: number, series: number): number {
    const { from, until } = this.reach;
    return number < from || number >= until ? Number.NaN : (this.#figures[(number % this.#length) * this.#series + series] ?? Number.NaN);
  }

  /** The wall clock was set back to this time. */
  rewind(time: number): void {
    const number = slotNumber(time, WATCHED_SAMPLE_MS);
    if (number < this.#newest) this.#discardAfter(number);
  }

  #discardAfter(number: number): void {
    for (let each = Math.max(number + 1, this.reach.from); each <= this.#newest; each++) this.#fill(each, () => Number.NaN);
    if (number < this.reach.from) this.#first = number;
    this.#newest = number;
  }

  #fill(number: number, value: (series: number) => number): void {
    const from = (number % this.#length) * this.#series;
    for (let at = 0; at < this.#series; at++) this.#figures[from + at] = value(at);
  }
}
