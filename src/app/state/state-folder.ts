import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { IntentStore } from "../../config/state/intent-store.ts";
import { keepInstanceUuid } from "../../daemon/session/instance.ts";
import type { Lock } from "../../daemon/session/lock.ts";
import { watchLock } from "../../daemon/session/lock-watch.ts";
import type { LogBook } from "../../log/log-book.ts";
import { isThere, type StateFiles } from "./state-files.ts";

/** A folder that changed within this time may change again without a new modification time, milliseconds. */
const UNSETTLED_MS = 2_000;
/** The file of requested states in the state folder. */
export const INTENT_FILE = "intent.json";

interface StateFolderOptions {
  lock: Lock;
  intents: IntentStore;
  files: StateFiles;
  log: LogBook;
  /** Further checks, called at each check of the folder. */
  onCheck?: () => void;
}

/**
 * Keeps the state folder of a running manager complete: if a file or the folder is removed, or the folder is replaced, it is written again
 * with the current state. Returns a function that stops this.
 */
export function keepStateFolder({ lock, intents, files, log, onCheck }: StateFolderOptions): () => Promise<void> {
  /** Identity and modification time of the folder when it was found complete. */
  let complete = "";
  const report = (level: "warning" | "error", msg: string) => void log.append({ level, source: "manager", msg });
  return watchLock({
    lock,
    remake: async () => {
      keepInstanceUuid(files.dir, lock.info.instance_uuid);
      await intents.rewrite();
      await files.rewrite("all");
      onCheck?.();
    },
    onCheck: async () => {
      onCheck?.();
      // Removing a file changes the folder's modification time. The intent file may also have been truncated.
      const began = Date.now();
      const [{ dev, ino, mtimeMs }, lost] = await Promise.all([stat(files.dir), intents.lostFiles()]);
      const folder = `${dev} ${ino} ${mtimeMs}`;
      if (folder === complete && lost.length === 0) return;
      const written = await files.rewrite("missing");
      if (lost.length > 0) {
        await intents.rewrite();
        written.push(...lost);
      }
      if (!(await isThere(join(files.dir, "instance.json")))) {
        keepInstanceUuid(files.dir, lock.info.instance_uuid);
        written.push("instance.json");
      }
      complete = began - mtimeMs > UNSETTLED_MS ? folder : "";
      if (written.length > 0) report("warning", `${written.join(", ")} had been removed or replaced in ${files.dir}, and is written again`);
    },
    log: report,
  });
}
