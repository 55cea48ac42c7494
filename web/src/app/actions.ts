import { isRunningState, type Process } from "../../../src/protocol/resources/resources.ts";
import { membersOf } from "../tree/tree-rows.ts";
import { processOf } from "./store.ts";

/** Whether a process is in its requested state, may still reach it, or never will by itself. */
export function progressOf({ state, requested_state, has_ready_state }: Process): "there" | "coming" | "failed" {
  if (state === "error" || state === "backoff") return "failed";
  if (state === "ready" || state === "stopped") return "there";
  if (state === "started") return requested_state === "start" && has_ready_state ? "coming" : "there";
  return "coming";
}

export function processesOf(node: Parameters<typeof membersOf>[0]): Process[] {
  return membersOf(node).flatMap((name) => processOf(name) ?? []);
}

export const isRunning = ({ state }: Pick<Process, "state">): boolean => isRunningState(state);

/** Needs the user's attention: failed, or failing again and again. */
export const isTrouble = (process: Pick<Process, "state"> | undefined): boolean =>
  process?.state === "error" || process?.state === "backoff";

export const VERB_KEYS = { s: "start", x: "stop", r: "restart" } as const;

export const isVerbKey = (key: string): key is keyof typeof VERB_KEYS => Object.hasOwn(VERB_KEYS, key);
