import { render } from "preact";
import { App } from "./app/app.tsx";
import { featureViews, preloadViews } from "./app/page-views.tsx";
import { followVisibleHeight } from "./app/visible-height.ts";
import { features } from "./features/index.ts";
import { followLog } from "./log/follow-log.ts";
import { openAddress } from "./state/navigation.ts";
import { addViewTypes } from "./state/views.ts";
import "./style.css";

/** By then the first view is there, milliseconds. */
const PRELOAD_AFTER_MS = 2_000;

const root = document.getElementById("app");
followVisibleHeight();
addViewTypes(featureViews);
openAddress();
followLog();
for (const { start } of features) start?.();
// A task of its own: evaluating the modules was one already.
if (root) setTimeout(() => render(<App />, root));
setTimeout(preloadViews, PRELOAD_AFTER_MS);
