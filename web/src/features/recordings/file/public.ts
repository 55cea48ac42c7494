// What other features may use to read MCAP files.
export { readSpan, wholeFile } from "./past-samples.ts";
export { RecordedFile } from "./recorded-file.ts";
