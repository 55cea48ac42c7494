import { type Bounds, TraceSamples } from "../plot/trace-samples.ts";
import type { Derived } from "./derived.ts";
import { MovingMean } from "./moving-mean.ts";

/** Samples of a field in the order of time, without gaps. */
export interface Line {
  readonly times: Float64Array;
  readonly values: Float64Array;
}
/** The value of a series at a time from those of its inputs; NaN if it has none there. Called with rising times. */
type Step = (time: number, values: readonly number[]) => number;

/**
 * Computes a series from the samples of its topics as they arrive. It has a value at each sample of its first input; the other inputs are
 * interpolated linearly, so a sample waits until all of them have a later one.
 */
export class Derivation {
  readonly samples: TraceSamples;
  readonly #derived: Derived;
  readonly #of: (topic: string) => TraceSamples | undefined;
  readonly #step: Step;
  /** Time of the last value. */
  #upTo = Number.NEGATIVE_INFINITY;
  /** For each input, the time of its last sample not after `#upTo`. */
  readonly #from: number[];

  constructor(derived: Derived, of: (topic: string) => TraceSamples | undefined, bounds: Bounds) {
    this.samples = new TraceSamples([""], bounds);
    this.#derived = derived;
    this.#of = of;
    this.#step = stepOf(derived);
    this.#from = derived.inputs.map(() => Number.NEGATIVE_INFINITY);
  }

  /** Computes the values for samples that were added since the last call. */
  update(): void {
    const lines = this.#derived.inputs.map(({ topic, field }, index) => {
      const { times, values } = this.#of(topic)?.full(field, this.#from[index] ?? 0) ?? EMPTY;
      return withoutGaps(times, values);
    });
    const until = Math.min(...lines.map(({ times }) => times.at(-1) ?? Number.NEGATIVE_INFINITY));
    if (until <= this.#upTo) return;
    const [times, values]: [number[], number[]] = [[], []];
    const cursors = lines.map((line) => new LineCursor(line));
    for (const time of lines[0]?.times ?? []) {
      if (time <= this.#upTo) continue;
      if (time > until) break;
      const value = this.#step(
        time,
        cursors.map((cursor) => cursor.valueAt(time)),
      );
      if (!Number.isFinite(value)) continue;
      times.push(time);
      values.push(value);
    }
    this.#upTo = until;
    for (const [index, cursor] of cursors.entries()) this.#from[index] = cursor.lastUntil(until);
    this.samples.add(times, [values]);
  }
}

const EMPTY: Line = { times: new Float64Array(), values: new Float64Array() };

function stepOf(derived: Derived): Step {
  switch (derived.kind) {
    case "difference":
      return (_, [first = Number.NaN, second = Number.NaN]) => first - second;
    case "norm":
      return (_, values) => Math.hypot(...values);
    case "mean": {
      const mean = new MovingMean(derived.seconds);
      return (time, [value = Number.NaN]) => mean.add(time, value);
    }
    case "derivative": {
      let [before, held] = [Number.NaN, Number.NaN];
      return (time, [value = Number.NaN]) => {
        const rate = (value - held) / (time - before);
        [before, held] = [time, value];
        return rate;
      };
    }
  }
}

function withoutGaps(times: Float64Array, values: Float64Array): Line {
  if (!values.some(Number.isNaN)) return { times, values };
  const isValue = (_: number, row: number) => !Number.isNaN(values[row]);
  return { times: times.filter(isValue), values: values.filter(isValue) };
}

/** Reads a line at rising times. */
class LineCursor {
  readonly #line: Line;
  #row = 0;

  constructor(line: Line) {
    this.#line = line;
  }

  /** The value at a time, interpolated between two samples; NaN before the first and after the last one. */
  valueAt(time: number): number {
    const { times, values } = this.#line;
    this.lastUntil(time);
    const [before = Number.NaN, after = Number.NaN] = [times[this.#row], times[this.#row + 1]];
    const [held = Number.NaN, next = Number.NaN] = [values[this.#row], values[this.#row + 1]];
    if (before === time) return held;
    return before < time ? held + ((next - held) * (time - before)) / (after - before) : Number.NaN;
  }

  /** Time of the last sample not after `time`, or of the first one. */
  lastUntil(time: number): number {
    const { times } = this.#line;
    while ((times[this.#row + 1] ?? Number.POSITIVE_INFINITY) <= time) this.#row++;
    return times[this.#row] ?? Number.NEGATIVE_INFINITY;
  }
}
