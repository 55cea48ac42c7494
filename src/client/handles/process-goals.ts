import { MgrError } from "../../base/errors.ts";
import { shown } from "../../base/options.ts";
import { PROCESS_STATES } from "../../protocol/process/process-state.ts";
import type { Process, ProcessState } from "../../protocol/resources/resources.ts";

/**
 * Whether a process has reached `state`: a ready process has also started, and a process without a ready condition counts as ready once it
 * has started (docs/design/wire-rules.md, "States and transitions").
 */
export function isIn(process: Process, state: ProcessState): boolean {
  if (state === "ready") return isUp(process);
  return process.state === state || (state === "started" && process.state === "ready");
}

/** Whether the process has reached its highest state: ready, or started without a ready condition. */
export function isUp(process: Process): boolean {
  return process.state === "ready" || (process.state === "started" && !process.has_ready_state);
}

/** Whether the process is at rest, and no start is requested. */
export function isStopped(process: Process): boolean {
  return process.state === "stopped" && process.requested_state === "stop";
}

export function isSameRun(a: Process, b: Process): boolean {
  return a.start_time === b.start_time && (a.pid === b.pid || a.pid === null || b.pid === null);
}

/** Whether a new run has ended successfully. */
export function endedSince(before: Process, now: Process): boolean {
  return now.state === "stopped" && now.requested_state === "start" && now.start_time !== null && !isSameRun(before, now);
}

/** Throws `bad_field` for an unknown state, which would otherwise be waited for until the time-out. */
export function checkState(state: ProcessState): void {
  if (!PROCESS_STATES.includes(state))
    throw new MgrError("bad_field", `there is no state ${shown(state)}; it must be one of ${PROCESS_STATES.join(", ")}`);
}
