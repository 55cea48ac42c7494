/** States of processes and groups. Free of zod, so that the page can import it at no cost. */

export const PROCESS_STATES = ["stopped", "waiting", "starting", "started", "ready", "stopping", "backoff", "error"] as const;
export type ProcessState = (typeof PROCESS_STATES)[number];

export const REQUESTED_STATES = ["start", "stop"] as const;
export type RequestedState = (typeof REQUESTED_STATES)[number];

/** States in which a run is alive or about to begin. */
export const UP_STATES: ReadonlySet<ProcessState> = new Set<ProcessState>(["starting", "started", "ready", "stopping"]);

/** Whether the process counts as running: it has started and no stop is requested. */
export const isRunningState = (state: ProcessState | undefined): boolean => state === "started" || state === "ready";

/** Worst state first (docs/design/wire-rules.md, "Snapshot and events"). */
export const SEVERITY: readonly ProcessState[] = ["error", "backoff", "stopping", "starting", "waiting", "started", "ready", "stopped"];

/** The word for a state in the log, in the page and on the command line; JSON has the state itself. */
export function stateWord<S extends string>(state: S): S | "restarting" {
  return state === "backoff" ? "restarting" : state;
}

/** The state that a process contributes to its group: one that restarts after a failure counts as `backoff`, one that is not known as `stopped`. */
export function stateInGroup(process: { readonly state: ProcessState; readonly restarting: boolean } | undefined): ProcessState {
  if (process === undefined) return "stopped";
  const { state, restarting } = process;
  return restarting && state !== "stopping" ? "backoff" : state;
}

/** The state of a group: the worst of its members' (of all levels below it), `stopped` for an empty group. */
export function groupState(memberStates: Iterable<ProcessState>): ProcessState {
  let worst = SEVERITY.length - 1;
  for (const state of memberStates) {
    const rank = SEVERITY.indexOf(state);
    if (rank < worst) worst = rank;
  }
  return SEVERITY[worst] ?? "stopped";
}
