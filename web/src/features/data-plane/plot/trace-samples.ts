import { Rows } from "./rows.ts";

type Column = (number | null)[];

/** Limits of the kept samples; times in seconds. */
export interface Bounds {
  /** Maximum number of samples that are kept in full. */
  readonly most: number;
  /** Length of a step; of older samples, only the extremes of each step are kept. */
  readonly step: number;
  /** Maximum age of a sample. */
  readonly seconds: number;
}

/** Samples of the traces of one topic. Only the extremes of older ones are kept, so that long windows stay small. */
export class TraceSamples {
  readonly fields: readonly string[];
  readonly #bounds: Bounds;
  readonly #old: Rows;
  readonly #recent: Rows;

  constructor(fields: readonly string[], bounds: Bounds) {
    this.fields = fields;
    this.#bounds = bounds;
    this.#old = new Rows(fields.length);
    this.#recent = new Rows(fields.length);
  }

  /** Adds samples: `times` in seconds since 1970, `values` of each field. Late samples are dropped: a plot needs rising times. */
  add(times: readonly number[], values: readonly (readonly (number | null)[])[]): void {
    let newest = this.newest ?? Number.NEGATIVE_INFINITY;
    for (const [row, time] of times.entries()) {
      if (time <= newest) continue;
      newest = time;
      this.#recent.add(time, (field) => values[field]?.[row] ?? Number.NaN);
      if (this.#recent.length > this.#bounds.most) this.#foldOldest();
    }
    const oldest = newest - this.#bounds.seconds;
    for (const rows of this.#parts) rows.dropFirst(rows.rowAt(oldest));
  }

  get newest(): number | null {
    return this.#recent.length === 0 ? null : this.#recent.timeAt(this.#recent.length - 1);
  }

  get oldest(): number | null {
    const first = this.#parts.find(({ length }) => length > 0);
    return first === undefined ? null : first.timeAt(0);
  }

  /** Returns the samples preceded by older ones; those of `older` that are not older are left out. */
  withOlder(older: TraceSamples): TraceSamples {
    const all = new TraceSamples(this.fields, this.#bounds);
    const first = this.oldest ?? Number.POSITIVE_INFINITY;
    for (const { times, columns } of [...older.views(Number.NEGATIVE_INFINITY, first), ...this.views(first, Number.POSITIVE_INFINITY)])
      all.add(
        [...times],
        columns.map((column) => [...column]),
      );
    return all;
  }

  /** The newest value of a field. */
  latest(field: string): number | null {
    const { columns } = this.#recent;
    return columns[this.fields.indexOf(field)]?.findLast((value) => !Number.isNaN(value)) ?? null;
  }

  /** Number of kept samples in a span of time. */
  count(from: number, until: number): number {
    return this.#parts.reduce((sum, rows) => sum + rows.rowAt(until) - rows.rowAt(from), 0);
  }

  /** Times and values of each field from `from` to `until`, both included, in up to two parts; NaN is no value. Valid until the next `add`. */
  views(from: number, until: number): { times: Float64Array; columns: Float64Array[] }[] {
    return this.#parts.map((rows) => {
      const first = rows.rowAt(from);
      const end = rows.rowAt(until);
      const last = rows.timeAt(end) === until ? end + 1 : end;
      return { times: rows.times.subarray(first, last), columns: rows.columns.map((column) => column.subarray(first, last)) };
    });
  }

  /** Times and values of a field from `from` on, of samples that are kept in full; NaN is no value. Valid until the next `add`. */
  full(field: string, from: number): { times: Float64Array; values: Float64Array } {
    const first = this.#recent.rowAt(from);
    const values = this.#recent.columns[this.fields.indexOf(field)] ?? new Float64Array();
    return { times: this.#recent.times.subarray(first, first + values.length), values: values.subarray(first) };
  }

  /** Like `views`, as lists; null is no value. */
  between(from: number, until: number): [number[], ...Column[]] {
    const views = this.views(from, until);
    const column = (field: number): Column =>
      views.flatMap(({ columns }) => Array.from(columns[field] ?? [], (value) => (Number.isNaN(value) ? null : value)));
    return [views.flatMap(({ times }) => [...times]), ...this.fields.map((_, field) => column(field))];
  }

  get #parts(): readonly [Rows, Rows] {
    return [this.#old, this.#recent];
  }

  /** Replaces several of the oldest samples by the extremes of whole steps. */
  #foldOldest(): void {
    const { most, step } = this.#bounds;
    const { times, columns } = this.#recent;
    const stepOf = (row: number) => Math.floor((times[row] ?? 0) / step);
    let from = 0;
    while (from < times.length - most + (most >> 4)) {
      let until = from + 1;
      while (until < times.length && stepOf(until) === stepOf(from)) until++;
      const extremes = columns.map((column) => extremesOf(column.subarray(from, until)));
      this.#old.add(times[from] ?? 0, (field) => extremes[field]?.[0] ?? Number.NaN);
      if (until - from > 1) this.#old.add(times[until - 1] ?? 0, (field) => extremes[field]?.[1] ?? Number.NaN);
      from = until;
    }
    this.#recent.dropFirst(from);
  }
}

/** The extremes of the values; NaN only if all values are. */
function extremesOf(values: Float64Array): [least: number, greatest: number] {
  let [least, greatest] = [Number.NaN, Number.NaN];
  for (const value of values) {
    if (!(value >= least)) least = Number.isNaN(value) ? least : value;
    if (!(value <= greatest)) greatest = Number.isNaN(value) ? greatest : value;
  }
  return [least, greatest];
}
