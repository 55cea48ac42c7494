/** A numeric field of a topic, such as `position[0]` of `arm/state`; the empty field is the whole value. */
export interface Trace {
  readonly topic: string;
  readonly field: string;
}

export const titleOfTrace = ({ topic, field }: Trace): string => (field === "" ? topic : `${topic}.${field}`);

const MAX_FIELDS = 200;
const MAX_DEPTH = 8;

/** The numeric fields of a sample, in its order. */
export function numericFields(value: unknown): string[] {
  const found: string[] = [];
  const walk = (at: unknown, path: string, depth: number) => {
    if (found.length >= MAX_FIELDS || depth > MAX_DEPTH) return;
    if (numberOf(at) !== null) found.push(path);
    else if (Array.isArray(at)) for (const [index, item] of at.entries()) walk(item, `${path}[${index}]`, depth + 1);
    else if (at !== null && typeof at === "object")
      for (const [key, item] of Object.entries(at)) walk(item, path === "" ? key : `${path}.${key}`, depth + 1);
  };
  walk(value, "", 0);
  return found;
}

/** The number in a field of a sample; null if there is none. */
export function fieldValue(value: unknown, field: string): number | null {
  let at = value;
  for (const step of field.split(/\.|\[|\]/)) {
    if (step === "") continue;
    if (at === null || typeof at !== "object" || !Object.hasOwn(at, step)) return null;
    at = (at as Record<string, unknown>)[step];
  }
  return numberOf(at);
}

/** 64-bit integers come as text; booleans are drawn as 0 and 1. */
function numberOf(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "boolean") return value ? 1 : 0;
  return typeof value === "string" && /^-?\d{16,20}$/.test(value) ? Number(value) : null;
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
