import { findGroup } from "../../../src/client/mirror.ts";
import { isRunningState, type Process } from "../../../src/protocol/resources/resources.ts";
import { membersOf } from "../tree/tree-rows.ts";
import { confirm } from "../ui/dialog.tsx";
import { command, processOf, tree } from "./store.ts";
import type { View } from "./views.ts";

export type Verb = "start" | "stop" | "restart";

/** Whether the command makes sense for a process now. */
export function canDo(verb: Verb, { state, requested_state }: Pick<Process, "state" | "requested_state">): boolean {
  const idle = state === "stopped" || state === "error";
  if (verb === "start") return idle || state === "backoff" || (state === "stopping" && requested_state === "stop");
  if (verb === "stop") return !idle && !(state === "stopping" && requested_state === "stop");
  return true;
}

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

/** Members of a group that one key may stop without confirmation. */
const WITHOUT_ASKING = 1;

/**
 * Runs a key's command on a process or group. One key never ends many processes without confirmation. Returns whether it applies here. Only
 * the manager knows the state: a user who presses `s` and immediately `x` means both, and a command for a state that is already reached is
 * accepted silently.
 */
export function doVerb(verb: Verb, view: View): boolean {
  if (view.kind === "process") {
    if (processOf(view.name)) void command({ type: `${verb}_process`, name: view.name });
    return true;
  }
  if (view.kind !== "group") return false;
  void doGroupVerb(verb, view.name);
  return true;
}

async function doGroupVerb(verb: Verb, name: string): Promise<void> {
  const node = findGroup(tree.value, name);
  const active = node ? processesOf(node).filter((process) => canDo("stop", process)).length : 0;
  if (verb !== "start" && active > WITHOUT_ASKING) {
    const word = verb === "stop" ? "Stop" : "Restart";
    if (!(await confirm({ title: `${word} ${name}?`, text: `${active} of its processes run, or are about to.`, yes: `${word} all` })))
      return;
  }
  await command({ type: `${verb}_group`, name });
}
