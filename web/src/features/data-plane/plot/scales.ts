import { parseFieldPath } from "../../../../../src/features/data-plane/field-path.ts";
import { type Trace, titleOfTrace } from "./traces.ts";

/** Scales of the traces: one for all, or one for each unit in panels below each other; `auto`: the one that shows more. */
export type Scale = "auto" | "one" | "stacked";
export const SCALES: readonly Scale[] = ["auto", "one", "stacked"];

/** Traces with one scale. */
export interface ScaleGroup {
  /** The unit of the fields, or their name if they have none. */
  readonly label: string;
  /** Indices in the list of traces. */
  readonly traces: readonly number[];
}

/** Maximum ratio of the whole range to that of one group: beyond it the group would look flat, so each unit gets its own scale. */
const MAX_RATIO = 10;

/** Groups traces by unit, those without a unit by name: `position[0]` and `position[1]` belong together. */
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

/** Minimum and maximum of a trace; null if they are not known. */
export type Range = { readonly min: number; readonly max: number } | null;

/** Whether one scale would make the traces of a group look flat. Constant traces do not count. */
export function needsOwnScales(groups: readonly ScaleGroup[], ranges: readonly Range[]): boolean {
  const spans = groups.flatMap(({ traces }) => {
    const known = traces.flatMap((index) => ranges[index] ?? []);
    return known.length === 0 ? [] : { min: Math.min(...known.map(({ min }) => min)), max: Math.max(...known.map(({ max }) => max)) };
  });
  const whole = Math.max(...spans.map(({ max }) => max)) - Math.min(...spans.map(({ min }) => min));
  return spans.length > 1 && spans.some(({ min, max }) => max > min && whole > MAX_RATIO * (max - min));
}
