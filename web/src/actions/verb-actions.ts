import type { Process } from "../../../src/protocol/resources/resources.ts";
import { isConnected } from "../ui/connected.ts";
import type { Action } from "./action.ts";
import { canDo, type Verb } from "./command-effects.ts";
import { asks, forbiddenOf, request, type Target } from "./commands.ts";

const VERBS: readonly [Verb, string, string][] = [
  ["start", "Start", "s"],
  ["stop", "Stop", "x"],
  ["restart", "Restart", "r"],
];

/** The start, stop and restart actions of a target that make sense now. Those that end processes are marked. */
export function verbActions(what: string, target: Target, processes: readonly Process[], near = false): (Action & { verb: Verb })[] {
  return VERBS.filter(
    ([verb]) => isConnected.value && forbiddenOf(verb, target) === null && processes.some((process) => canDo(verb, process)),
  ).map(([verb, word, keys]) => ({
    title: `${word} ${what}`,
    verb,
    ...(near ? { keys, near } : {}),
    ...(verb === "start" ? {} : { isDanger: true }),
    asks: () => asks(verb, target),
    run: () => void request(verb, target),
  }));
}
