import { fieldPathText, leavesOf, numberOf } from "../../../../../src/features/data-plane/field-path.ts";
import { safeInSpreadsheets } from "../../../../../src/features/data-plane/samples/spreadsheet-text.ts";

/** A numeric field of a topic, such as `position[0]` of `arm/state`; the empty field is the whole value. */
export interface Trace {
  readonly topic: string;
  readonly field: string;
}

export const titleOfTrace = ({ topic, field }: Trace): string => (field === "" ? topic : `${topic}.${field}`);

/** Percent-encodes these characters of a text. */
export const encoded = (text: string, characters: RegExp): string => text.replace(characters, encodeURIComponent);

/** A trace in an address: `topic:field`; colons and percent signs in the name of the topic are percent-encoded. */
export const traceText = ({ topic, field }: Trace): string => `${encoded(topic, /[%:]/g)}:${field}`;

/** Parses `topic:field`; null: it is no trace. */
export function readTrace(text: string, readField = (field: string) => field): Trace | null {
  const end = text.indexOf(":");
  if (end <= 0) return null;
  try {
    return { topic: decodeURIComponent(text.slice(0, end)), field: readField(text.slice(end + 1)) };
  } catch {
    return null; // Invalid percent-encoding.
  }
}

/** Maximum number of traces of a plot: more cannot be distinguished. */
export const MAX_TRACES = 20;

/** Adds the trace if there are fewer than `most`, or removes it if it is in `traces`. */
export function toggled(traces: readonly Trace[], { topic, field }: Trace, most = MAX_TRACES): readonly Trace[] {
  const others = traces.filter((one) => one.topic !== topic || one.field !== field);
  return others.length < traces.length || traces.length >= most ? others : [...traces, { topic, field }];
}

const MAX_FIELDS = 200;

/** The numeric fields of a sample, in the order of the sample. */
export function numericFields(value: unknown): string[] {
  return leavesOf(value, MAX_FIELDS).flatMap((leaf) => (numberOf(leaf.value) === null ? [] : [fieldPathText(leaf.path)]));
}

/** Joined columns as CSV: the time in seconds since 1970, then a column for each trace; a cell is empty if the trace has no sample. */
export function csvOf(traces: readonly Trace[], columns: readonly (readonly (number | null | undefined)[])[]): string {
  const [times = []] = columns;
  const quoted = (name: string) => {
    const text = safeInSpreadsheets(name);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const head = ["time", ...traces.map((trace) => quoted(titleOfTrace(trace)))].join(",");
  return `${head}\n${times.map((_, row) => columns.map((column) => column[row] ?? "").join(",")).join("\n")}\n`;
}
