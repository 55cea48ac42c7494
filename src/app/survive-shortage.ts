import { isShortage, messageOf } from "../base/errors.ts";
import { visibleLines } from "../base/text/visible-text.ts";

/**
 * Handles uncaught exceptions. A shortage of descriptors, memory or disk space passes, so it does not end the manager; every other uncaught
 * exception does. Returns the function that removes the handler.
 */
export function surviveShortage(log: (msg: string) => void): () => void {
  const survive = (error: unknown) => {
    if (isShortage(error))
      return log(`the manager continues after a failure: ${error instanceof Error ? (error.stack ?? error.message) : ""}`);
    process.stderr.write(`${visibleLines(error instanceof Error ? (error.stack ?? messageOf(error)) : messageOf(error))}\n`);
    process.exit(1);
  };
  process.on("uncaughtException", survive);
  return () => process.off("uncaughtException", survive);
}
