// Other features may use these parts of the plot and of the topics that it shows; its samples are in public-samples.ts.
export { topics } from "../data-store.ts";
export { useUnits } from "./definitions.ts";
export { PlotFrame } from "./plot-frame.tsx";
export type { Scale } from "./scales.ts";
export { toggled } from "./traces.ts";
export type { SharedAxis, TraceSource } from "./use-plot.ts";
