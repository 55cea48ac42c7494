import type { Figures } from "../../series.ts";

/** Minimum, mean and maximum of what falls into one slot. Means are weighted by time. */
export class SlotSummary {
  readonly number: number;
  readonly #series: number;
  readonly #min: Float64Array;
  readonly #max: Float64Array;
  readonly #sum: Float64Array;
  /** Milliseconds, for each series: a figure may be unknown for a part of the slot. */
  readonly #weight: Float64Array;

  constructor(series: number, number: number) {
    this.number = number;
    this.#series = series;
    this.#min = new Float64Array(series).fill(Number.POSITIVE_INFINITY);
    this.#max = new Float64Array(series).fill(Number.NEGATIVE_INFINITY);
    this.#sum = new Float64Array(series);
    this.#weight = new Float64Array(series);
  }

  /** Adds a sample that stands for so many milliseconds. */
  add(figures: Figures, weight: number): void {
    for (let at = 0; at < this.#series; at++) {
      const value = figures[at];
      if (value !== null && value !== undefined) this.#merge(at, { min: value, mean: value, max: value }, weight);
    }
  }

  /** Adds a whole shorter slot, as `figures` returns it. */
  addSlot(slot: Float32Array, weight: number): void {
    for (let at = 0; at < this.#series; at++) {
      const [min = Number.NaN, mean = Number.NaN, max = Number.NaN] = threeOf(slot, this.#series, at);
      if (!Number.isNaN(mean)) this.#merge(at, { min, mean, max }, weight);
    }
  }

  /** Minimum, mean and maximum of each series, in this order; NaN: not known. */
  figures(): Float32Array {
    const figures = new Float32Array(3 * this.#series).fill(Number.NaN);
    for (let at = 0; at < this.#series; at++) {
      const weight = this.#weight[at] ?? 0;
      if (weight === 0) continue;
      figures[at] = this.#min[at] ?? Number.NaN;
      figures[this.#series + at] = (this.#sum[at] ?? Number.NaN) / weight;
      figures[2 * this.#series + at] = this.#max[at] ?? Number.NaN;
    }
    return figures;
  }

  #merge(at: number, { min, mean, max }: { min: number; mean: number; max: number }, weight: number): void {
    this.#min[at] = Math.min(this.#min[at] ?? min, min);
    this.#max[at] = Math.max(this.#max[at] ?? max, max);
    this.#sum[at] = (this.#sum[at] ?? 0) + mean * weight;
    this.#weight[at] = (this.#weight[at] ?? 0) + weight;
  }
}

/** Minimum, mean and maximum of one series in the figures of a slot. */
export const threeOf = (slot: Float32Array, series: number, at: number) => [slot[at], slot[series + at], slot[2 * series + at]] as const;
