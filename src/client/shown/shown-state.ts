import { stateInGroup, stateWord, UP_STATES } from "../../protocol/process/process-state.ts";
import type { Process, ProcessState } from "../../protocol/resources/resources.ts";

/**
 * The states of processes and groups as users see them, worst first. In addition to those of the protocol: `lost` is a process that was
 * running when its host was lost; `completed` is one that ended by itself, with success.
 */
export const SHOWN_STATES = [
  "error",
  "backoff",
  "lost",
  "stopping",
  "starting",
  "waiting",
  "started",
  "ready",
  "completed",
  "stopped",
] as const satisfies readonly (ProcessState | "lost" | "completed")[];
export type ShownState = (typeof SHOWN_STATES)[number];

type Shown = Pick<Process, "state" | "requested_state" | "restarting" | "exit" | "host_ready">;

/** A failed process stays `backoff` until its restart has proved stable. */
export function shownState(process: Shown): ShownState {
  if (isLost(process)) return "lost";
  return isCompleted(process) ? "completed" : stateInGroup(process);
}

/** The state of a group: the worst of its members', `stopped` for an empty group. */
export function shownGroupState(members: Iterable<Shown>): ShownState {
  const states = new Set<ShownState>();
  for (const member of members) states.add(shownState(member));
  return SHOWN_STATES.find((state) => states.has(state)) ?? "stopped";
}

/** Whether its host was lost while it ran or was requested to run: it may or may not still be running. */
export function isLost({ state, host_ready }: Pick<Process, "state" | "host_ready">): boolean {
  return !host_ready && (UP_STATES.has(state) || state === "backoff" || state === "waiting");
}

/** Whether its start was requested and its run ended with an exit code that counts as success. */
export function isCompleted({ state, requested_state, exit }: Pick<Process, "state" | "requested_state" | "exit">): boolean {
  return state === "stopped" && requested_state === "start" && exit !== null;
}

/** Whether a process is as requested: it runs, or has completed. */
export function isFine(process: Shown): boolean {
  const state = shownState(process);
  return state === "started" || state === "ready" || state === "completed";
}

/** The word for a state. */
export function wordOf(state: ShownState): string {
  return stateWord(state);
}

/** The word for the state of a process, with the number of failures if it fails repeatedly. */
export function stateText(process: Shown & Pick<Process, "restarts">): string {
  const state = shownState(process);
  return state === "backoff" && process.restarts > 0 ? `restarting (${process.restarts}×)` : wordOf(state);
}
