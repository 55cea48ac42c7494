import type { TerminalSize } from "../../actors/process/process-types.ts";
import type { Config } from "../../config/definition.ts";
import { type ProcessIntent, withoutStart } from "../../config/state/process-intent.ts";
import { NO_SETTINGS, type ProcessSettings } from "../../config/state/process-settings.ts";

/** The requested state, kept across restarts: the intent file, or memory in an embedding program. */
export interface IntentKeeper {
  get(name: string): Readonly<ProcessIntent>;
  set(name: string, patch: ProcessIntent): void;
  /** Names for which something is kept. */
  names(): Iterable<string>;
  /** Drops a pending start request of `name`; keeps stop requests and settings. */
  forgetStart(name: string): void;
  /** Resolves when all changes so far are durable. Calls that share a write get the same promise. */
  flush(): Promise<void>;
}

/** A user's choices that override the definition; `size` null: that of the definition. */
export function choicesOf({ rows, cols, settings }: Readonly<ProcessIntent>): { size: TerminalSize | null; settings: ProcessSettings } {
  return { size: rows !== undefined && cols !== undefined ? { rows, cols } : null, settings: settings ?? NO_SETTINGS };
}

/** Keeps the requested state until the program ends. */
export function memoryIntents(): IntentKeeper {
  const saved = Promise.resolve();
  const kept = new Map<string, ProcessIntent>();
  return {
    get: (name) => kept.get(name) ?? {},
    set: (name, patch) => kept.set(name, Object.assign({}, kept.get(name), patch)),
    names: () => kept.keys(),
    forgetStart: (name) => {
      const intent = kept.get(name);
      if (intent) kept.set(name, withoutStart(intent));
    },
    flush: () => saved,
  };
}

/** Returns the processes of `names` that must run initially, by the last requested state, else autostart, and all their dependencies. */
export function requestedAtBoot(names: readonly string[], config: Config, intents: IntentKeeper): ReadonlySet<string> {
  const requested = new Set<string>();
  for (const name of names) {
    const intent = intents.get(name).requested_state;
    if (intent === "start" || (intent === undefined && config.processes.get(name)?.autostart)) requested.add(name);
  }
  // Iterating a set includes elements that are added meanwhile.
  for (const name of requested) {
    // A user's stop takes precedence over a dependent's start: the dependent then reports the missing dependency.
    for (const dependency of config.processes.get(name)?.depends_on ?? [])
      if (intents.get(dependency.name).requested_state !== "stop") requested.add(dependency.name);
  }
  return requested;
}
