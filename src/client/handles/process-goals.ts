import { MgrError } from "../../base/errors.ts";
import { shown } from "../../base/options.ts";
import { PROCESS_STATES } from "../../protocol/process/process-state.ts";
import type { Process, ProcessState } from "../../protocol/resources/resources.ts";

/**
 * Whether a process has got as far as `state`: who is ready has started, and `ready` of a process without a ready
 * condition means started (docs/design/wire-rules.md, "States and transitions").
 */
export function isIn(process: Process, state: ProcessState): boolean {
  if (state === "ready") return isUp(process);
  return process.state === state || (state === "started" && process.state === "ready");
}

/** As far up as it gets. */
export function isUp(process: Process): boolean {
  return process.state === "ready" || (process.state === "started" && !process.has_ready_state);
}

/** At rest, and not wanted. */
export function isStopped(process: Process): boolean {
  return process.state === "stopped" && process.requested_state === "stop";
}

export function isSameRun(a: Process, b: Process): boolean {
  return a.start_time === b.start_time && (a.pid === b.pid || a.pid === null || b.pid === null);
}

/** A run that was not there before has come to a good end. */
export function endedSince(before: Process, now: Process): boolean {
  return now.state === "stopped" && now.requested_state === "start" && now.start_time !== null && !isSameRun(before, now);
}

/** A state that does not exist would be waited for until the time-out. Throws `bad_field`. */
export function checkState(state: ProcessState): void {
  if (!PROCESS_STATES.includes(state))
    throw new MgrError("bad_field", `there is no state ${shown(state)}; it must be one of ${PROCESS_STATES.join(", ")}`);
}
