// What other features may use of the plot, beside its samples, and of the topics that it shows.
export { topics } from "../data-store.ts";
export { useUnits } from "./definitions.ts";
export { PlotFrame } from "./plot-frame.tsx";
export { toggled } from "./plotted.ts";
export type { Scale } from "./scales.ts";
export type { TraceSource } from "./use-plot.ts";
