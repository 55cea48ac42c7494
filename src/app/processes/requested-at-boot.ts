import type { Config } from "../../config/definition.ts";
import type { IntentKeeper } from "../state/intent-keeper.ts";

/** Of `names`, the processes that must run initially: by the last requested state, else autostart; and all their dependencies. */
export function requestedAtBoot(names: readonly string[], config: Config, intents: IntentKeeper): ReadonlySet<string> {
  const wanted = new Set<string>();
  for (const name of names) {
    const intent = intents.get(name).requested_state;
    if (intent === "start" || (intent === undefined && config.processes.get(name)?.autostart)) wanted.add(name);
  }
  // Iterating a set includes elements that are added meanwhile.
  for (const name of wanted) {
    // A user's stop takes precedence over a dependent's start: the dependent then reports what it lacks.
    for (const dependency of config.processes.get(name)?.depends_on ?? [])
      if (intents.get(dependency.name).requested_state !== "stop") wanted.add(dependency.name);
  }
  return wanted;
}
