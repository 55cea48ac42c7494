import { type ShownState, shownState } from "../../../src/client/shown/shown-state.ts";
import type { Process } from "../../../src/protocol/resources/resources.ts";
import { membersOf } from "../state/members.ts";
import { processOf } from "../state/store.ts";

/** Whether a process has reached its requested state, is on its way to it, or cannot reach it by itself. */
export function progressOf(process: Process): "there" | "coming" | "failed" {
  const state = shownState(process);
  if (isTroubleState(state)) return "failed";
  if (state === "ready" || state === "completed" || state === "stopped") return "there";
  if (state === "started") return process.requested_state === "start" && process.has_ready_state ? "coming" : "there";
  return "coming";
}

export function processesOf(node: Parameters<typeof membersOf>[0]): Process[] {
  return membersOf(node).flatMap((name) => processOf(name) ?? []);
}

const TROUBLE: ReadonlySet<ShownState> = new Set<ShownState>(["error", "backoff", "lost"]);

/** Whether a state needs the user's attention: failed, repeatedly restarted, or lost. */
export const isTroubleState = (state: ShownState): boolean => TROUBLE.has(state);

export const isTrouble = (process: Process | undefined): boolean => process !== undefined && isTroubleState(shownState(process));

export const VERB_KEYS = { s: "start", x: "stop", r: "restart" } as const;

export const isVerbKey = (key: string): key is keyof typeof VERB_KEYS => Object.hasOwn(VERB_KEYS, key);
