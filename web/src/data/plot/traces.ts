import { fieldPathText, leavesOf, numberOf } from "../../../../src/base/field-path.ts";

/** A numeric field of a topic, such as `position[0]` of `arm/state`; the empty field is the whole value. */
export interface Trace {
  readonly topic: string;
  readonly field: string;
}

export const titleOfTrace = ({ topic, field }: Trace): string => (field === "" ? topic : `${topic}.${field}`);

const MAX_FIELDS = 200;

/** The numeric fields of a sample, in its order. */
export function numericFields(value: unknown): string[] {
  return leavesOf(value, MAX_FIELDS).flatMap((leaf) => (numberOf(leaf.value) === null ? [] : [fieldPathText(leaf.path)]));
}

type Column = (number | null)[];

/** Samples of the traces of one topic, the newest last. Of old ones only the extremes are kept, so that long windows stay small. */
export class TraceSamples {
  readonly fields: readonly string[];
  #times: number[] = [];
  #values: Column[];
  readonly #most: number;
  readonly #seconds: number;

  /** `most`: samples that are kept; `seconds`: none is older than this. */
  constructor(fields: readonly string[], { most, seconds }: { most: number; seconds: number }) {
    this.fields = fields;
    this.#most = most;
    this.#seconds = seconds;
    this.#values = fields.map(() => []);
  }

  /** `times` in seconds since 1970, `values` of each field. Samples that come late are left out: a plot needs rising times. */
  add(times: readonly number[], values: readonly (readonly (number | null)[])[]): void {
    let newest = this.newest ?? Number.NEGATIVE_INFINITY;
    for (const [row, time] of times.entries()) {
      if (time <= newest) continue;
      newest = time;
      this.#times.push(time);
      for (const [index, column] of this.#values.entries()) column.push(values[index]?.[row] ?? null);
    }
    if (this.#times.length > this.#most) this.#shorten(newest - this.#seconds);
  }

  get newest(): number | null {
    return this.#times.at(-1) ?? null;
  }

  get times(): readonly number[] {
    return this.#times;
  }

  get values(): readonly (readonly (number | null)[])[] {
    return this.#values;
  }

  /** Index of the first sample at a time or after it. */
  indexAt(time: number): number {
    let low = 0;
    let high = this.#times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#times[middle] ?? 0) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Times, then the values of each field, of a span of time. */
  between(from: number, until: number): [number[], ...Column[]] {
    const [first, end] = [this.indexAt(from), this.indexAt(until)];
    // The sample at `until` itself, too.
    const last = this.#times[end] === until ? end + 1 : end;
    return [this.#times.slice(first, last), ...this.#values.map((list) => list.slice(first, last))];
  }

  /** All but the newest quarter is brought to the resolution at which the whole time fits in half of the room. */
  #shorten(oldest: number): void {
    const step = this.#seconds / (this.#most / 4);
    const first = this.indexAt(oldest);
    const recent = Math.max(first, this.#times.length - (this.#most >> 2));
    const groups: [from: number, until: number][] = [];
    for (let from = first; from < recent; ) {
      const slot = Math.floor((this.#times[from] ?? 0) / step);
      let until = from + 1;
      while (until < recent && Math.floor((this.#times[until] ?? 0) / step) === slot) until++;
      groups.push([from, until]);
      from = until;
    }
    const times = groups.flatMap(([from, until]) => {
      const begin = this.#times[from] ?? 0;
      return until - from === 1 ? [begin] : [begin, this.#times[until - 1] ?? 0];
    });
    const shortened = (column: Column) => groups.flatMap(([from, until]) => extremes(column.slice(from, until)));
    this.#values = this.#values.map((column) => [...shortened(column), ...column.slice(recent)]);
    this.#times = [...times, ...this.#times.slice(recent)];
  }
}

/** One value stays; of more, the least and the greatest, in their order. */
function extremes(values: Column): Column {
  if (values.length <= 2) return values;
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return [null, null];
  const [min, max] = [Math.min(...known), Math.max(...known)];
  return known.indexOf(min) <= known.indexOf(max) ? [min, max] : [max, min];
}

/** Joined columns as CSV: time in seconds since 1970, then a column a trace; a cell is empty where a trace has no sample. */
export function csvOf(traces: readonly Trace[], columns: readonly (readonly (number | null | undefined)[])[]): string {
  const [times = []] = columns;
  const quoted = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const head = ["time", ...traces.map((trace) => quoted(titleOfTrace(trace)))].join(",");
  return `${head}\n${times.map((_, row) => columns.map((column) => column[row] ?? "").join(",")).join("\n")}\n`;
}
