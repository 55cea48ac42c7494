import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { IntentStore } from "../../../src/config/state/intent-store.ts";
import type { ProcessIntent } from "../../../src/config/state/process-intent.ts";
import { eventually } from "./wait.ts";

const pathOf = (stateDir: string) => join(stateDir, "intent.json");

/** What the next manager would find: the file and the journal of later changes. */
export async function savedIntents(stateDir: string): Promise<Record<string, ProcessIntent>> {
  const store = await IntentStore.open(pathOf(stateDir));
  return Object.fromEntries(Array.from(store.names(), (name) => [name, store.get(name)]));
}

/** Puts a folder in the place of the intent file, and waits until the manager has seen that it cannot replace it. */
export async function blockIntentFile(stateDir: string): Promise<void> {
  const path = pathOf(stateDir);
  await eventually("a folder has the name of the intent file", () => {
    rmSync(path, { force: true });
    try {
      mkdirSync(path);
      return true;
    } catch (error) {
      // The manager has written the missing file again in between.
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw error;
    }
  });
  const log = join(stateDir, "manager.log");
  await eventually("the manager has tried", () => readFileSync(log, "utf8").includes("cannot save the requested states"));
}

export function unblockIntentFile(stateDir: string): void {
  rmSync(pathOf(stateDir), { recursive: true });
}
