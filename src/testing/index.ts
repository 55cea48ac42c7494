/** `mgr/testing`: what test harnesses import beside `mgr`. */
export { StateRecorder } from "./state-recorder.ts";
