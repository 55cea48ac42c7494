// Other features may use these parts of the samples of a plot.
export { TraceSamples } from "./trace-samples.ts";
export { numericFields, type Trace } from "./traces.ts";
