import { fieldAt, fieldPathText, leavesOf, numberOf, parseFieldPath } from "../../../src/base/field-path.ts";

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

/** The number in a field of a sample; null if there is none that can be drawn. */
export function fieldValue(value: unknown, field: string): number | null {
  const path = field === "" ? [] : parseFieldPath(field);
  const number = path === null ? null : numberOf(fieldAt(value, path));
  return number !== null && Number.isFinite(number) ? number : null;
}

/** Samples of the traces of one topic, the newest last. */
export class TraceSamples {
  readonly fields: readonly string[];
  readonly #times: number[] = [];
  readonly #values: (number | null)[][];
  readonly #most: number;

  constructor(fields: readonly string[], most: number) {
    this.fields = fields;
    this.#most = most;
    this.#values = fields.map(() => []);
  }

  /** `time` in seconds since 1970. Samples that come late are left out: a plot needs rising times. */
  add(time: number, value: unknown): void {
    if (time <= (this.#times.at(-1) ?? Number.NEGATIVE_INFINITY)) return;
    this.#times.push(time);
    for (const [index, field] of this.fields.entries()) this.#values[index]?.push(fieldValue(value, field));
    // In one go now and then: removing the first of a long list is slow.
    if (this.#times.length < 1.25 * this.#most) return;
    const surplus = this.#times.length - this.#most;
    for (const list of [this.#times, ...this.#values]) list.splice(0, surplus);
  }

  get newest(): number | null {
    return this.#times.at(-1) ?? null;
  }

  /** Times, then the values of each field, from a time on. */
  since(from: number): [number[], ...(number | null)[][]] {
    let low = 0;
    let high = this.#times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#times[middle] ?? 0) < from) low = middle + 1;
      else high = middle;
    }
    return [this.#times.slice(low), ...this.#values.map((list) => list.slice(low))];
  }
}

/** Joined columns as CSV: time in seconds since 1970, then a column a trace; a cell is empty where a trace has no sample. */
export function csvOf(traces: readonly Trace[], columns: readonly (readonly (number | null | undefined)[])[]): string {
  const [times = []] = columns;
  const quoted = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const head = ["time", ...traces.map((trace) => quoted(titleOfTrace(trace)))].join(",");
  return `${head}\n${times.map((_, row) => columns.map((column) => column[row] ?? "").join(",")).join("\n")}\n`;
}
