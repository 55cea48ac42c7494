// Other features may use these parts of the samples of a plot.
export { TraceSamples } from "./trace-samples.ts";
export { MAX_TRACES, numericFields, readTrace, type Trace, traceText } from "./traces.ts";
