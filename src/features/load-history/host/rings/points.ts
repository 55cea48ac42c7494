import type { Curve } from "../../contract.ts";
import { STATISTICS, type Statistic } from "../../series.ts";
import { SlotSummary, threeOf } from "./slot-summary.ts";

export interface PointRange {
  readonly from: number;
  readonly until: number;
  /** Most points. */
  readonly points: number;
}

/** Slots of a ring as the points of an answer: each point is one slot or several whole ones. */
export class Points {
  /** Milliseconds since 1970 at which the first point begins, and from each point to the next. */
  readonly start: number;
  readonly stepMs: number;
  readonly #count: number;
  readonly #series: number;
  readonly #periodMs: number;
  readonly #summaries: (SlotSummary | undefined)[] = [];

  constructor({ from, until, points }: PointRange, { periodMs, series }: { periodMs: number; series: number }) {
    this.#series = series;
    this.#periodMs = periodMs;
    const aligned = (step: number) => Math.floor(from / step) * step;
    const countOf = (step: number) => Math.ceil((until - aligned(step)) / step);
    let slots = Math.max(1, Math.ceil((until - from) / points / periodMs));
    while (countOf(slots * periodMs) > points) slots++;
    this.stepMs = slots * periodMs;
    this.start = aligned(this.stepMs);
    this.#count = Math.max(0, countOf(this.stepMs));
  }

  /** Numbers of the slots that the points are made of. */
  get numbers(): { from: number; until: number } {
    const from = Math.max(1, this.start / this.#periodMs);
    return { from, until: Math.max(from, (this.start + this.#count * this.stepMs) / this.#periodMs) };
  }

  add(number: number, figures: Float32Array): void {
    this.#summaryOf(number)?.addSlot(figures, 1);
  }

  addSample(number: number, figures: readonly (number | null)[]): void {
    this.#summaryOf(number)?.add(figures, 1);
  }

  /** The points of one series, by its place. */
  curve(at: number, statistics: readonly Statistic[] = STATISTICS): Curve {
    const curve: Curve = { min: [], mean: [], max: [] };
    for (let point = 0; point < this.#count; point++) {
      const figures = this.#summaries[point]?.figures();
      const three = figures === undefined ? [] : threeOf(figures, this.#series, at);
      for (const statistic of statistics) curve[statistic].push(rounded(three[STATISTICS.indexOf(statistic)]));
    }
    return curve;
  }

  #summaryOf(number: number): SlotSummary | undefined {
    const point = Math.floor((number * this.#periodMs - this.start) / this.stepMs);
    if (point < 0 || point >= this.#count) return undefined;
    const summary = this.#summaries[point] ?? new SlotSummary(this.#series, point);
    this.#summaries[point] = summary;
    return summary;
  }
}

/** Answers have two digits behind the point; large figures have none. */
export function rounded(value: number | null | undefined): number | null {
  if (value === undefined || value === null || !Number.isFinite(value)) return null;
  return Math.abs(value) < 1_000 ? Math.round(100 * value) / 100 : Math.round(value);
}
