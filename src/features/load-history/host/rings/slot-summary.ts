import type { Figures } from "../../series.ts";

/** Places of the four parts of a series. */
const [MIN, MAX, SUM, WEIGHT] = [0, 1, 2, 3] as const;

/** Minimum, mean and maximum of what falls into one slot. Means are weighted by time. */
export class SlotSummary {
  #number: number;
  readonly #series: number;
  /** Minimum, maximum, sum and weight of each series; a weight is in milliseconds, as a figure may be unknown for a part of the slot. */
  readonly #parts: Float64Array;

  constructor(series: number, number: number) {
    this.#number = number;
    this.#series = series;
    this.#parts = new Float64Array(4 * series);
  }

  get number(): number {
    return this.#number;
  }

  /** Begins another slot in the same memory. */
  restart(number: number): void {
    this.#number = number;
    this.#parts.fill(0);
  }

  /** Adds a sample that stands for so many milliseconds. */
  add(figures: Figures, weight: number): void {
    for (let at = 0; at < this.#series; at++) {
      const value = figures[at];
      if (value !== null && value !== undefined) this.#merge(at, weight, value, value, value);
    }
  }

  /** Adds a whole shorter slot, as `figures` returns it. */
  addSlot(slot: Float32Array, weight: number): void {
    const series = this.#series;
    for (let at = 0; at < series; at++) {
      const mean = slot[series + at] ?? Number.NaN;
      if (!Number.isNaN(mean)) this.#merge(at, weight, slot[at] ?? mean, mean, slot[2 * series + at] ?? mean);
    }
  }

  /** Minimum, mean and maximum of each series, in this order; NaN: not known. */
  figures(): Float32Array {
    const parts = this.#parts;
    const series = this.#series;
    const figures = new Float32Array(3 * series);
    for (let at = 0; at < series; at++) {
      const weight = parts[4 * at + WEIGHT] ?? 0;
      const isKnown = weight !== 0;
      figures[at] = isKnown ? (parts[4 * at + MIN] ?? Number.NaN) : Number.NaN;
      figures[series + at] = isKnown ? (parts[4 * at + SUM] ?? Number.NaN) / weight : Number.NaN;
      figures[2 * series + at] = isKnown ? (parts[4 * at + MAX] ?? Number.NaN) : Number.NaN;
    }
    return figures;
  }

  /** Called for each series of each process with each sample: nothing is allocated. */
  #merge(at: number, weight: number, min: number, mean: number, max: number): void {
    const parts = this.#parts;
    const from = 4 * at;
    const before = parts[from + WEIGHT] ?? 0;
    parts[from + MIN] = before === 0 ? min : Math.min(parts[from + MIN] ?? min, min);
    parts[from + MAX] = before === 0 ? max : Math.max(parts[from + MAX] ?? max, max);
    parts[from + SUM] = (parts[from + SUM] ?? 0) + mean * weight;
    parts[from + WEIGHT] = before + weight;
  }
}

/** Minimum, mean and maximum of one series in the figures of a slot. */
export const threeOf = (slot: Float32Array, series: number, at: number) => [slot[at], slot[series + at], slot[2 * series + at]] as const;
