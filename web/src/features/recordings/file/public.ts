// Other features may read MCAP files with this.
export { readSpan, wholeFile } from "./past-samples.ts";
export { RecordedFile } from "./recorded-file.ts";
