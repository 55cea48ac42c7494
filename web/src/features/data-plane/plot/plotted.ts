import { effect } from "@preact/signals";
import { current } from "../../../state/navigation.ts";
import { kept } from "../../../state/settings.ts";
import { PLOT_PARAMETERS } from "../views.ts";
import { MAX_TRACES, plotOfAddress, plotParameters, USUAL_WINDOW, WINDOWS } from "./plot-address.ts";
import { SCALES, type Scale } from "./scales.ts";
import type { Trace } from "./traces.ts";

/** The traces that the plot shows. */
export const plotted = kept<readonly Trace[]>("traces", [], (value) =>
  Array.isArray(value) ? value.filter(isTrace).slice(0, MAX_TRACES) : null,
);
/** Length of the plot's window, seconds. */
export const windowSeconds = kept<number>("plotWindow", USUAL_WINDOW, (value) => WINDOWS.find((each) => each === value) ?? null);
export const scale = kept<Scale>("plotScale", "auto", (value) => SCALES.find((each) => each === value) ?? null);

function isTrace(value: unknown): value is Trace {
  if (value === null || typeof value !== "object") return false;
  const { topic, field } = value as Partial<Trace>;
  return typeof topic === "string" && typeof field === "string";
}

export const isPlotted = ({ topic, field }: Trace): boolean => plotted.value.some((one) => one.topic === topic && one.field === field);

export function togglePlotted(trace: Trace): void {
  plotted.value = toggled(plotted.peek(), trace);
}

/** Adds the trace, or removes it if it is in `traces`. */
export function toggled(traces: readonly Trace[], { topic, field }: Trace): readonly Trace[] {
  const others = traces.filter((one) => one.topic !== topic || one.field !== field);
  return others.length < traces.length ? others : [...traces, { topic, field }].slice(0, MAX_TRACES);
}

/** Shows the plot that the address names, if it names one. */
function readAddress(): void {
  const named = plotOfAddress(location.search);
  if (named === null || new URLSearchParams(location.search).get("view") !== "plot") return;
  plotted.value = named.traces;
  windowSeconds.value = named.seconds;
  scale.value = named.scale;
}

readAddress();
// Runs before the page shows the view of the new address, which changes the address.
addEventListener("popstate", readAddress, { capture: true });
// Keeps the address a link to the shown plot.
effect(() => {
  const parameters = plotParameters({ traces: plotted.value, seconds: windowSeconds.value, scale: scale.value });
  if (current.value.kind !== "plot") return;
  const search = new URLSearchParams(location.search);
  for (const name of PLOT_PARAMETERS) search.delete(name);
  for (const [name, value] of parameters) search.append(name, value);
  history.replaceState(null, "", `?${readableQuery(search)}`);
});

/** Slashes, colons and brackets are legal in a query, and easier to read. */
function readableQuery(search: URLSearchParams): string {
  return search.toString().replaceAll("%2F", "/").replaceAll("%3A", ":").replaceAll("%5B", "[").replaceAll("%5D", "]");
}
