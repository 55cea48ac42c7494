// Other features may use this from the start, as they may views.ts. The parts for plots are in plot/public.ts, which is loaded later.
export { addHistory, type History, type Wanted } from "./history.ts";
export { addTopicPart } from "./parts.ts";
export { addDataTab, dataView } from "./tabs.tsx";
