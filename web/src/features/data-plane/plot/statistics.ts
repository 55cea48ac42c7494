import type { TraceSamples } from "./trace-samples.ts";

/** Statistics of a field's samples in a span of time. Only the extremes count of samples that are too old to be kept in full. */
export interface Statistics {
  readonly count: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  /** Root mean square. */
  readonly rms: number;
  /** Standard deviation. */
  readonly deviation: number;
  /** Samples a second between the first and the last one; NaN if there is only one. */
  readonly rate: number;
}

/** The statistics of a field; null if there is no sample. */
export function statisticsOf(samples: TraceSamples, field: string, span: { from: number; until: number }): Statistics | null {
  const at = samples.fields.indexOf(field);
  let [count, min, max, mean, squares] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0];
  let [first, last] = [Number.NaN, Number.NaN];
  for (const { times, columns } of samples.views(span.from, span.until)) {
    const column = columns[at] ?? new Float64Array();
    for (let row = 0; row < column.length; row++) {
      const value = column[row] ?? Number.NaN;
      if (Number.isNaN(value)) continue;
      count++;
      last = times[row] ?? last;
      if (count === 1) first = last;
      if (value < min) min = value;
      if (value > max) max = value;
      // Welford's method: exact also for large values that differ little.
      const before = value - mean;
      mean += before / count;
      squares += before * (value - mean);
    }
  }
  if (count === 0) return null;
  const variance = squares / count;
  const rate = count === 1 ? Number.NaN : (count - 1) / (last - first);
  return { count, min, max, mean, rms: Math.sqrt(mean * mean + variance), deviation: Math.sqrt(variance), rate };
}

/** Maximum distance between two samples, in mean intervals; beyond it there is a gap without a value. */
const MAX_GAP = 3;

/** The value of the sample nearest to a time; null before the first one, after the last one, and in a gap. */
export function valueAt(samples: TraceSamples, field: string, time: number, span: { from: number; until: number }): number | null {
  const at = samples.fields.indexOf(field);
  let [count, first, last] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let [distance, value] = [Number.POSITIVE_INFINITY, null as number | null];
  for (const { times, columns } of samples.views(span.from, span.until)) {
    const column = columns[at] ?? new Float64Array();
    for (let row = 0; row < times.length; row++) {
      const [then = 0, held = Number.NaN] = [times[row], column[row]];
      if (Number.isNaN(held)) continue;
      count++;
      if (then < first) first = then;
      if (then > last) last = then;
      if (Math.abs(then - time) < distance) {
        distance = Math.abs(then - time);
        value = held;
      }
    }
  }
  // A single sample has no interval: a hundredth of the span is about as near as the pointer can be placed.
  const interval = count > 1 ? (last - first) / (count - 1) : (span.until - span.from) / 100;
  return distance <= (MAX_GAP * interval) / 2 ? value : null;
}
