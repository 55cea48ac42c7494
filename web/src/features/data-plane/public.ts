// Other features may use this from the start, as they may views.ts. The parts for plots are in plot/public.ts, which is loaded later.

export { ownersOfService } from "./data-store.ts";
export { addHistory, type History, type Wanted } from "./history.ts";
export { addParameterTool } from "./parameters/parameter-tools.ts";
export { addTopicPart } from "./parts.ts";
export { addDataTab, dataView } from "./tabs.tsx";
