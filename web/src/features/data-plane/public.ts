// Other features may use this from the start, beside views.ts. The parts for plots are in plot/public.ts: it is loaded later.
export { addHistory, type History, type Wanted } from "./history.ts";
export { addDataTab, dataView } from "./tabs.tsx";
