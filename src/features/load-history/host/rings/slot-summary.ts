import type { Figures } from "../../series.ts";

/** Minimum, mean and maximum of what falls into one slot. Means are weighted by time. */
export class SlotSummary {
  readonly number: number;
  readonly #series: number;
  /** Minimum, maximum, sum and weight of each series; a weight is in milliseconds, as a figure may be unknown for a part of the slot. */
  readonly #parts: Float64Array;

  constructor(series: number, number: number) {
    this.number = number;
    this.#series = series;
    this.#parts = new Float64Array(4 * series);
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
      const [min = 0, max = 0, sum = 0, weight = 0] = this.#parts.subarray(4 * at, 4 * at + 4);
      if (weight === 0) continue;
      figures[at] = min;
      figures[this.#series + at] = sum / weight;
      figures[2 * this.#series + at] = max;
    }
    return figures;
  }

  #merge(at: number, { min, mean, max }: { min: number; mean: number; max: number }, weight: number): void {
    const parts = this.#parts.subarray(4 * at, 4 * at + 4);
    const [least = 0, most = 0, sum = 0, before = 0] = parts;
    const isFirst = before === 0;
    parts.set([isFirst ? min : Math.min(least, min), isFirst ? max : Math.max(most, max), sum + mean * weight, before + weight]);
  }
}

/** Minimum, mean and maximum of one series in the figures of a slot. */
export const threeOf = (slot: Float32Array, series: number, at: number) => [slot[at], slot[series + at], slot[2 * series + at]] as const;
