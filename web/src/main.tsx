import { effect } from "@preact/signals";
import { render } from "preact";
import { addProcessMarker } from "./actions/process-marks.ts";
import { App } from "./app/app.tsx";
import { featureViews, preloadViews } from "./app/page-views.tsx";
import { followVisibleHeight } from "./app/visible-height.ts";
import { features } from "./features/index.ts";
import { followLog } from "./log/follow-log.ts";
import { openAddress } from "./state/navigation.ts";
import { connection } from "./state/store.ts";
import { addViewTypes } from "./state/views.ts";
import { followPlaceAddress } from "./terminal/open-at.ts";
import "./style.css";

/** Delay until the code of the other views is loaded, ms: the first view is shown by then. */
const PRELOAD_AFTER_MS = 2_000;
/**
 * Maximum time that the first drawing waits for the snapshot, ms. The snapshot is usually on its way: drawing the page without processes first
 * takes longer than what is left of the way, and browsers receive no messages meanwhile.
 */
const MAX_WAIT_MS = 200;

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
if (root) drawFirst(root);
setTimeout(preloadViews, PRELOAD_AFTER_MS);

/** Draws the page when its state is known, or the connection has failed, or after `MAX_WAIT_MS`. */
function drawFirst(root: HTMLElement): void {
  const draw = () => {
    clearTimeout(latest);
    stop();
    render(<App />, root);
  };
  const latest = setTimeout(draw, MAX_WAIT_MS);
  const stop = effect(() => {
    // A task of its own, after the one that has read the snapshot.
    if (connection.value.kind !== "connecting") setTimeout(draw);
  });
}
