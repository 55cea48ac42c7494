// Other features may show MCAP files with this. It is loaded with their views.
export { FileTopics, useFile } from "./file-plot.tsx";
export { fileSource } from "./file-source.ts";
