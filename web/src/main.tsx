import { render } from "preact";
import { addProcessMarker } from "./actions/process-marks.ts";
import { App } from "./app/app.tsx";
import { drawFirst } from "./app/first-drawing.ts";
import { featureViews, preloadViews } from "./app/page-views.tsx";
import { followVisibleHeight } from "./app/visible-height.ts";
import { features } from "./features/index.ts";
import { followLog } from "./log/follow-log.ts";
import { openAddress } from "./state/navigation.ts";
import { connection } from "./state/store.ts";
import { addViewTypes } from "./state/views.ts";
import { followPlaceAddress } from "./terminal/places/open-at.ts";
import "./style.css";

/** Delay until the code of the other views is loaded, ms: the first view is shown by then. */
const PRELOAD_AFTER_MS = 2_000;

const root = document.getElementById("app");
followVisibleHeight();
addViewTypes(featureViews);
openAddress();
followPlaceAddress();
followLog();
for (const { start, processMark } of features) {
  if (processMark) addProcessMarker(processMark);
  start?.();
}
if (root) drawFirst(connection, () => render(<App />, root));
setTimeout(preloadViews, PRELOAD_AFTER_MS);
