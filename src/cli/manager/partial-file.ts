import { rmSync } from "node:fs";
import { rm } from "node:fs/promises";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** Maximum number of attempts to empty a folder in which a file is being created. */
const MAX_RETRIES = 5;

/**
 * Writes a file or folder under a name of its own beside `path`, so that two commands with the same target do not write the same file. A
 * part that `write` has not renamed is removed, also when a signal ends this program.
 */
export async function withPartialFile<T>(path: string, write: (part: string) => Promise<T>): Promise<T> {
  const part = `${path}.${process.pid}.part`;
  const interrupted = (signal: NodeJS.Signals) => {
    rmSync(part, { recursive: true, force: true, maxRetries: MAX_RETRIES });
    // The shell sees that the signal ended this program.
    unsubscribe();
    process.kill(process.pid, signal);
  };
  const unsubscribe = () => {
    for (const signal of SIGNALS) process.off(signal, interrupted);
  };
  for (const signal of SIGNALS) process.on(signal, interrupted);
  try {
    return await write(part);
  } finally {
    await rm(part, { recursive: true, force: true, maxRetries: MAX_RETRIES });
    unsubscribe();
  }
}
