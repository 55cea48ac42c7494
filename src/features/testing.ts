/** Exports of features in `mgr/testing`. */
export { openReplay, type Replay, type ReplayOptions } from "./replay/testing/index.ts";
