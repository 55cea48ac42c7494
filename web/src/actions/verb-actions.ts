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
  if (!isConnected.value) return [];
  // The palette asks for all processes: what is quick to find comes first.
  return VERBS.filter(([verb]) => processes.some((process) => canDo(verb, process)) && forbiddenOf(verb, target) === null).map(
    ([verb, word, keys]) => ({
      title: `${word} ${what}`,
      verb,
      ...(near ? { keys, near } : {}),
      ...(verb === "start" ? {} : { isDanger: true }),
      asks: () => asks(verb, target),
      run: () => void request(verb, target),
    }),
  );
}
