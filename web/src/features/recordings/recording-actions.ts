import type { Action } from "../../actions/action.ts";
import { command } from "../../state/store.ts";
import { loggers, recordings } from "./recordings-store.ts";

/** For the palette: what can be stopped or started without a form. */
export function recordingActions(): Action[] {
  return [
    ...recordings.value
      .filter(({ state }) => state === "recording")
      .map(({ name }) => ({ title: `Stop the recording ${name}`, run: () => void command({ type: "stop_recording", name }) })),
    ...loggers.value.map(({ name, enabled }) => ({
      title: `${enabled ? "Stop" : "Start"} the logger ${name}`,
      run: () => void command({ type: enabled ? "stop_logger" : "start_logger", name }),
    })),
  ];
}
