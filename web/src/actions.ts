import type { Process } from "../../src/protocol/resources.ts";
import { processOf } from "./store.ts";
import { membersOf } from "./tree-rows.ts";

export type Verb = "start" | "stop" | "restart";

/** What can sensibly be asked of a process now. */
export function canDo(verb: Verb, { state, requested_state }: Pick<Process, "state" | "requested_state">): boolean {
  const idle = state === "stopped" || state === "error";
  if (verb === "start") return idle || state === "backoff" || (state === "stopping" && requested_state === "stop");
  if (verb === "stop") return !idle && !(state === "stopping" && requested_state === "stop");
  return true;
}

/** Whether a process does what was asked of it, may still come to it, or never will by itself. */
export function progressOf({ state, requested_state, has_ready_state }: Process): "there" | "coming" | "failed" {
  if (state === "error") return "failed";
  if (state === "ready" || state === "stopped") return "there";
  if (state === "started") return requested_state === "start" && has_ready_state ? "coming" : "there";
  return "coming";
}

export function processesOf(node: Parameters<typeof membersOf>[0]): Process[] {
  return membersOf(node).flatMap((name) => processOf(name) ?? []);
}

export const isRunning = ({ state }: Pick<Process, "state">): boolean => state === "started" || state === "ready";
