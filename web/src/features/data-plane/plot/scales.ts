import { parseFieldPath } from "../../../../../src/base/field-path.ts";
import { type Trace, titleOfTrace } from "./traces.ts";

/** How traces share scales: all one, or each unit a plot of its own below the others; `auto`: whichever shows more. */
export type Scale = "auto" | "one" | "stacked";
export const SCALES: readonly Scale[] = ["auto", "one", "stacked"];

/** Traces with one scale. */
export interface ScaleGroup {
  /** A unit, or what the fields are. */
  readonly label: string;
  /** Places in the list of traces. */
  readonly traces: readonly number[];
}

/** A part of the plot that is lower than this part of it cannot be read: then each unit gets its own scale. */
const MAX_RATIO = 10;

/** Groups by unit; fields without one by their name: `position[0]` and `position[1]` belong together. */
export function groupsOf(traces: readonly Trace[], unitOf: (trace: Trace) => string | null): ScaleGroup[] {
  const groups = new Map<string, number[]>();
  for (const [index, trace] of traces.entries()) {
    const label = unitOf(trace) ?? nameOf(trace);
    groups.set(label, [...(groups.get(label) ?? []), index]);
  }
  return [...groups].map(([label, members]) => ({ label, traces: members }));
}

function nameOf(trace: Trace): string {
  const name = (parseFieldPath(trace.field) ?? []).findLast((step) => typeof step === "string");
  return name === undefined ? titleOfTrace(trace) : String(name);
}

/** Least and greatest value of each trace; null where nothing is known. */
export type Range = { readonly min: number; readonly max: number } | null;

/** Whether one scale would press the traces of a group flat. Constant traces have no shape to lose. */
export function needsOwnScales(groups: readonly ScaleGroup[], ranges: readonly Range[]): boolean {
  const spans = groups.flatMap(({ traces }) => {
    const known = traces.flatMap((index) => ranges[index] ?? []);
    return known.length === 0 ? [] : { min: Math.min(...known.map(({ min }) => min)), max: Math.max(...known.map(({ max }) => max)) };
  });
  const whole = Math.max(...spans.map(({ max }) => max)) - Math.min(...spans.map(({ min }) => min));
  return spans.length > 1 && spans.some(({ min, max }) => max > min && whole > MAX_RATIO * (max - min));
}
