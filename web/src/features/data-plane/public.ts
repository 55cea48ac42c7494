// What other features may use of this one from the start, beside views.ts. What plots need is in plot/public.ts: it is loaded later.
export { addHistory, type History, type Wanted } from "./history.ts";
export { addDataTab, dataView } from "./tabs.tsx";
