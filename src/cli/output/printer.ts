import { write } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { LineQueue } from "../../log/line-queue.ts";

const STDOUT = 1;
/** Where standard output takes nothing now and does not make a writer wait either, it is tried again after this, milliseconds. */
const RETRY_MS = 20;
const writeTo = promisify(write);

/**
 * Prints without ever waiting: `process.stdout` makes the whole program wait for a terminal that was stopped (Ctrl-S) and for
 * a pipe that nobody reads, and a manager has more to do than to print.
 */
export class Printer {
  readonly #queue = new LineQueue({ write: writeAll, lostLine: (count) => `(${count} lines were not printed)\n` });

  print(text: string): void {
    if (text !== "") this.#queue.push(text);
  }

  /** Resolves when everything is printed, or nobody takes it. */
  drained(): Promise<void> {
    return this.#queue.drained();
  }
}

async function writeAll(lines: readonly string[]): Promise<number> {
  const text = Buffer.from(lines.join(""));
  for (let at = 0; at < text.length; ) {
    try {
      at += (await writeTo(STDOUT, text, at)).bytesWritten;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      await pause(RETRY_MS);
    }
  }
  return lines.length;
}
