// Other features may show MCAP files with this. It is loaded with their views.
export { aboutFile, FilePlot, useFile } from "./file-plot.tsx";
export type { RecordedFile } from "./recorded-file.ts";
