import type { Config } from "../../config/definition.ts";
import type { IntentKeeper } from "../state/intent-keeper.ts";

/** Of `names`, what shall run from the beginning: what users wanted last, else autostart; and all that it depends on. */
export function requestedAtBoot(names: readonly string[], config: Config, intents: IntentKeeper): ReadonlySet<string> {
  const wanted = new Set<string>();
  for (const name of names) {
    const intent = intents.get(name).requested_state;
    if (intent === "start" || (intent === undefined && config.processes.get(name)?.autostart)) wanted.add(name);
  }
  // A set shows what is added while it is walked.
  for (const name of wanted) {
    // Somebody's stop outweighs a dependent's wish: that one then says what it lacks.
    for (const dependency of config.processes.get(name)?.depends_on ?? [])
      if (intents.get(dependency.name).requested_state !== "stop") wanted.add(dependency.name);
  }
  return wanted;
}
