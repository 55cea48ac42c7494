import { SCALES, type Scale } from "./scales.ts";
import type { Trace } from "./traces.ts";

/** Maximum number of traces: more cannot be distinguished. */
export const MAX_TRACES = 20;
/** Lengths of the window that can be selected, seconds. */
export const WINDOWS = [5, 10, 30, 60, 300] as const;
export const USUAL_WINDOW = 10;

/** The definition of a plot; its address lets another user open the same one. */
export interface Plot {
  readonly traces: readonly Trace[];
  /** Length of the window, seconds. */
  readonly seconds: number;
  readonly scale: Scale;
}

/** The plot that an address names; null if it names no field. */
export function plotOfAddress(search: string): Plot | null {
  const parameters = new URLSearchParams(search);
  const traces = parameters.getAll("trace").flatMap((text) => readTrace(text) ?? []);
  if (traces.length === 0) return null;
  const seconds = WINDOWS.find((each) => String(each) === parameters.get("seconds")) ?? USUAL_WINDOW;
  return { traces: traces.slice(0, MAX_TRACES), seconds, scale: SCALES.find((each) => each === parameters.get("scale")) ?? "auto" };
}

/** Names and values of the address's parameters; defaults are omitted. */
export function plotParameters({ traces, seconds, scale }: Plot): [string, string][] {
  return [
    ...traces.map(({ topic, field }): [string, string] => ["trace", `${topic.replace(/[%:]/g, encodeURIComponent)}:${field}`]),
    ...(seconds === USUAL_WINDOW ? [] : [["seconds", String(seconds)] as [string, string]]),
    ...(scale === "auto" ? [] : [["scale", scale] as [string, string]]),
  ];
}

/** Parses `topic:field`; colons and percent signs in the name of the topic are percent-encoded. */
function readTrace(text: string): Trace | null {
  const end = text.indexOf(":");
  if (end <= 0) return null;
  try {
    return { topic: decodeURIComponent(text.slice(0, end)), field: text.slice(end + 1) };
  } catch {
    return null; // Invalid percent-encoding.
  }
}
