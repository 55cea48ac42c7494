// Other features may show MCAP files with this. It is loaded with their views.
export { FilePlot, useFile } from "./file-plot.tsx";
