import type { TerminalSize } from "../../actors/process-types.ts";
import { type ProcessIntent, withoutStart } from "../../config/state/intent-file.ts";
import { NO_SETTINGS, type ProcessSettings } from "../../config/state/settings.ts";

/** What users want, kept over restarts: the intent file, or memory in an embedding program. */
export interface IntentKeeper {
  get(name: string): Readonly<ProcessIntent>;
  set(name: string, patch: ProcessIntent): void;
  /** Of all of whom something is kept. */
  names(): Iterable<string>;
  /** Nobody's start of `name` counts any more; a stop does, and what was chosen for it. */
  forgetStart(name: string): void;
  /** Resolves when everything set so far is durable. */
  flush(): Promise<void>;
}

/** What users chose beside the definition; `size` null: the definition's. */
export function choicesOf({ rows, cols, settings }: Readonly<ProcessIntent>): { size: TerminalSize | null; settings: ProcessSettings } {
  return { size: rows !== undefined && cols !== undefined ? { rows, cols } : null, settings: settings ?? NO_SETTINGS };
}

/** For as long as the program lives. */
export function memoryIntents(): IntentKeeper {
  const kept = new Map<string, ProcessIntent>();
  return {
    get: (name) => kept.get(name) ?? {},
    set: (name, patch) => kept.set(name, { ...kept.get(name), ...patch }),
    names: () => kept.keys(),
    forgetStart: (name) => {
      const intent = kept.get(name);
      if (intent) kept.set(name, withoutStart(intent));
    },
    flush: () => Promise.resolve(),
  };
}
