import { isShortage, messageOf } from "../base/errors.ts";
import { visibleLines } from "../base/visible-text.ts";

/**
 * A last net below all timers and callbacks: running out of descriptors, memory or disk space passes, so it must not end a
 * manager. Everything else that is not caught ends it, as without this. Returns the way to take the net away.
 */
export function surviveShortage(log: (msg: string) => void): () => void {
  const survive = (error: unknown) => {
    if (isShortage(error))
      return log(`the manager goes on after a failure: ${error instanceof Error ? (error.stack ?? error.message) : ""}`);
    process.stderr.write(`${visibleLines(error instanceof Error ? (error.stack ?? messageOf(error)) : messageOf(error))}\n`);
    process.exit(1);
  };
  process.on("uncaughtException", survive);
  return () => process.off("uncaughtException", survive);
}
