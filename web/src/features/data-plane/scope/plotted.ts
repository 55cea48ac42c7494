import { computed, effect } from "@preact/signals";
import { putInAddress } from "../../../state/address-parameters.ts";
import { current } from "../../../state/navigation.ts";
import { kept } from "../../../state/settings.ts";
import { MAX_TRACES, type Trace, titleOfTrace, toggled } from "../plot/traces.ts";
import { PLOT_PARAMETERS } from "../views.ts";
import { type Derived, traceOfDerived } from "./derived.ts";
import { type Plot, plotOfAddress, plotOfParameters, plotParameters } from "./plot-address.ts";

/** The plot that is shown, as names and values of an address. */
const parameters = kept<readonly (readonly [string, string])[]>("plot", [], (value) =>
  Array.isArray(value) ? value.filter(isPair) : null,
);

// A function, since it is called before its definition when the page is loaded.
function isPair(value: unknown): value is [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every((each) => typeof each === "string");
}

export const plot = computed<Plot>(() => plotOfParameters(parameters.value));

export function setPlot(changed: Partial<Plot>): void {
  parameters.value = plotParameters({ ...plot.peek(), ...changed });
}

/** All traces of the plot: fields of topics, then derived series. */
export const plotted = computed<readonly Trace[]>(() => [...plot.value.traces, ...plot.value.derived.map(traceOfDerived)]);

export const isPlotted = ({ topic, field }: Trace): boolean => plotted.value.some((one) => one.topic === topic && one.field === field);

/** Adds a field of a topic, or removes a trace that is in the plot. A trigger goes with its trace. */
export function togglePlotted(trace: Trace): void {
  const { traces, derived, trigger } = plot.peek();
  const title = titleOfTrace(trace);
  const remaining = derived.filter((one) => titleOfTrace(traceOfDerived(one)) !== title);
  const isDerived = remaining.length < derived.length;
  setPlot({
    derived: remaining,
    traces: isDerived ? traces : toggled(traces, trace, MAX_TRACES - derived.length),
    trigger: trigger !== null && titleOfTrace(trigger.trace) === title ? null : trigger,
  });
}

/** Adds a series, unless it is in the plot. */
export function addDerived(derived: Derived): void {
  const trace = traceOfDerived(derived);
  if (!isPlotted(trace)) setPlot({ derived: [...plot.peek().derived, derived] });
}

/** Shows the plot that the address names, if it names one. */
function readAddress(): void {
  const named = plotOfAddress(location.search);
  if (named === null || new URLSearchParams(location.search).get("view") !== "plot") return;
  setPlot(named);
}

readAddress();
// Runs before the page shows the view of the new address, which changes the address.
addEventListener("popstate", readAddress, { capture: true });
// Keeps the address a link to the shown plot.
effect(() => {
  const shown = plotParameters(plot.value);
  if (current.value.kind !== "plot") return;
  putInAddress(PLOT_PARAMETERS, shown);
});
