import type { ProcessLoadHistory } from "../../../../../src/features/load-history/wire.ts";

/** null: a gap; undefined: another curve has a point at this time, this one has none. */
export type Column = (number | null | undefined)[];

/** Values of one series over time. */
export interface SeriesColumns {
  readonly mean: Column;
  readonly min: Column | null;
  readonly max: Column | null;
}

/** One process, or the machine. */
export interface Line {
  readonly name: string;
  readonly host: string;
  readonly series: ReadonlyMap<string, SeriesColumns>;
}

/** Curves with one time axis, in seconds since 1970. */
export interface CurveData {
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  /** Seconds that the coarsest point stands for, and of the measurements that points are made of. */
  readonly step: number;
  readonly resolution: number;
  /** Start of the history, ms since 1970; null: there is none. */
  readonly oldest: number | null;
}

export type CurveRow = Pick<ProcessLoadHistory, "start" | "step" | "resolution" | "oldest" | "series"> &
  Partial<Pick<ProcessLoadHistory, "name">> & { readonly host: string };

const milliseconds = (time: string) => Date.parse(`${time}Z`);

/** The curves of an answer. Points are drawn in the middle of the time that they stand for. */
export function curvesOf(rows: readonly CurveRow[]): CurveData {
  const grids = rows.map(({ start, step, series }) => {
    const count = Math.max(0, ...Object.values(series).map(({ mean }) => mean.length));
    return Array.from({ length: count }, (_, index) => milliseconds(start) / 1_000 + (index + 0.5) * step);
  });
  const [first = []] = grids;
  const isOneGrid = grids.every((grid) => grid.length === first.length && grid[0] === first[0] && grid[1] === first[1]);
  const times = isOneGrid ? first : [...new Set(grids.flat())].sort((a, b) => a - b);
  const places = isOneGrid ? null : new Map(times.map((time, index) => [time, index]));
  const place = (values: readonly (number | null)[], grid: readonly number[]): Column => {
    if (places === null) return [...values];
    const column: Column = new Array(times.length).fill(undefined);
    for (const [index, value] of values.entries()) column[places.get(grid[index] ?? 0) ?? 0] = value;
    return column;
  };
  const lines = rows.map(({ name = "", host, series }, row): Line => {
    const columns = Object.entries(series).map(([key, { min, mean, max }]): [string, SeriesColumns] => [
      key,
      {
        mean: place(mean, grids[row] ?? []),
        min: min.length === 0 ? null : place(min, grids[row] ?? []),
        max: max.length === 0 ? null : place(max, grids[row] ?? []),
      },
    ]);
    return { name, host, series: new Map(columns) };
  });
  const oldest = rows.flatMap((row) => (row.oldest === null ? [] : milliseconds(row.oldest)));
  return {
    times,
    lines,
    step: Math.max(0, ...rows.map(({ step }) => step)),
    resolution: Math.max(0, ...rows.map(({ resolution }) => resolution)),
    oldest: oldest.length === 0 ? null : Math.min(...oldest),
  };
}

/** The sum of two series of a line, such as what it reads and writes; null if it has neither. */
export function sumOf(one: SeriesColumns | undefined, other: SeriesColumns | undefined): SeriesColumns | null {
  if (one === undefined || other === undefined) return one ?? other ?? null;
  const mean = one.mean.map((value, index) => {
    const more = other.mean[index];
    return value === undefined || value === null ? (more ?? value) : value + (more ?? 0);
  });
  return { mean, min: null, max: null };
}

/** Mean of the known values in a span of time (seconds since 1970); null if there are none. */
export function meanOf(times: readonly number[], values: Column, span: { from: number; until: number }): number | null {
  let [sum, count] = [0, 0];
  for (let index = 0; index < times.length; index++) {
    const [time = 0, value] = [times[index], values[index]];
    if (value === null || value === undefined || time < span.from || time > span.until) continue;
    sum += value;
    count++;
  }
  return count === 0 ? null : sum / count;
}

/** Index of the point that is nearest to a time; -1: there are no points. */
export function nearest(times: readonly number[], time: number): number {
  let [low, high] = [0, times.length - 1];
  if (high < 0) return -1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) <= time) low = middle;
    else high = middle;
  }
  return Math.abs((times[high] ?? 0) - time) < Math.abs((times[low] ?? 0) - time) ? high : low;
}

/** Steps of a column that are searched for a value near a time: other curves have points in between. */
const MAX_STEPS_APART = 3;

/** The value nearest to a point. Null: a gap, or nothing near it. */
export function valueAt(values: Column, index: number): number | null {
  for (let apart = 0; apart <= MAX_STEPS_APART; apart++) {
    for (const at of apart === 0 ? [index] : [index - apart, index + apart]) {
      const value = values[at];
      if (value !== undefined) return value;
    }
  }
  return null;
}
