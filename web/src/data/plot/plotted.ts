import { kept } from "../../app/settings.ts";
import type { Trace } from "./traces.ts";

/** More cannot be distinguished. */
export const MAX_TRACES = 20;

/** The traces that the plot shows. */
export const plotted = kept<readonly Trace[]>("traces", [], (value) =>
  Array.isArray(value) ? value.filter(isTrace).slice(0, MAX_TRACES) : null,
);

function isTrace(value: unknown): value is Trace {
  if (value === null || typeof value !== "object") return false;
  const { topic, field } = value as Partial<Trace>;
  return typeof topic === "string" && typeof field === "string";
}

export const isPlotted = ({ topic, field }: Trace): boolean => plotted.value.some((one) => one.topic === topic && one.field === field);

export function togglePlotted(trace: Trace): void {
  const others = plotted.peek().filter(({ topic, field }) => topic !== trace.topic || field !== trace.field);
  plotted.value = others.length < plotted.peek().length ? others : [...others, trace].slice(0, MAX_TRACES);
}
