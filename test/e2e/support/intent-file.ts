import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "./wait.ts";

const pathOf = (stateDir: string) => join(stateDir, "intent.json");

/** Puts a folder in the place of the intent file: a manager cannot replace it, and says that requests cannot be saved. */
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
}

export function unblockIntentFile(stateDir: string): void {
  rmSync(pathOf(stateDir), { recursive: true });
}
