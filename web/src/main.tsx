import { render } from "preact";
import { App } from "./app/app.tsx";
import { followVisibleHeight } from "./app/visible-height.ts";
import { preloadViews } from "./app/workspace.tsx";
import { offerDisplays } from "./features/displays/display-of.ts";
import { followLog } from "./log/follow-log.ts";
import "./style.css";

/** By then the first view is there, milliseconds. */
const PRELOAD_AFTER_MS = 2_000;

const root = document.getElementById("app");
followVisibleHeight();
offerDisplays();
followLog();
// A task of its own: evaluating the modules was one already.
if (root) setTimeout(() => render(<App />, root));
setTimeout(preloadViews, PRELOAD_AFTER_MS);
