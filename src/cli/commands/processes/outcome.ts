import { visible } from "../../../base/text/visible-text.ts";
import { exitText } from "../../../client/handles/exit-text.ts";
import { shownState, wordOf } from "../../../client/shown/shown-state.ts";
import type { Process } from "../../../protocol/resources/resources.ts";
import { paintState } from "../../output/table.ts";

export type Verb = "start" | "stop" | "restart";

/** Whether `verb` has finished for this process, successfully or not. */
export function settled(verb: Verb, process: Process, before: Process | undefined): boolean {
  if (verb === "stop") return process.state === "stopped" || process.state === "error";
  const isNewRun = process.start_time !== null && (process.start_time !== before?.start_time || process.pid !== before?.pid);
  if (verb === "restart" && process.pid !== null && !isNewRun) return false;
  switch (process.state) {
    case "started":
      return !process.has_ready_state;
    case "ready":
    case "error":
    case "backoff":
      return true;
    case "stopped":
      // A job that ended successfully meanwhile, or a stop by another user.
      return process.requested_state === "stop" || process.start_time !== before?.start_time;
    default:
      return false;
  }
}

/** Whether `verb` has failed for this process. */
export function isFailure(verb: Verb, process: Process): boolean {
  if (process.state === "error" || process.state === "backoff") return true;
  return verb !== "stop" && process.state === "stopped" && process.requested_state === "stop";
}

/** The line that says what has become of a process. */
export function outcomeLine(verb: Verb, process: Process): string {
  const shown = shownState(process);
  return `${visible(process.name)}: ${paintState(shown, wordOf(shown))}${visible(reason(verb, process))}`;
}

function reason(verb: Verb, process: Process): string {
  if (verb === "stop" && process.state === "stopped" && process.stopped_with !== null) return ` (with ${process.stopped_with})`;
  if (!isFailure(verb, process)) return "";
  const text = process.state === "stopped" ? "stopped by another command" : exitText(process);
  return text === "" ? "" : ` (${text})`;
}
