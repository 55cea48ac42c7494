import { write } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { visible } from "../../../base/text/visible-text.ts";
import { LineQueue } from "../../../log/line-queue.ts";
import type { LogEntry } from "../../../protocol/resources/resources.ts";
import { paint } from "../../output/table.ts";

const STDOUT = 1;
/** Retry interval when standard output is full and does not block either, milliseconds. */
const RETRY_MS = 20;
const writeTo = promisify(write);

/**
 * Prints without ever blocking: `process.stdout` blocks the whole program on a stopped terminal (Ctrl-S) and on a pipe that is not read,
 * and the manager has to keep working.
 */
export class Printer {
  readonly #queue = new LineQueue({ write: writeAll, lostLine: (count) => `(${count} lines were not printed)\n` });

  print(text: string): void {
    if (text !== "") this.#queue.push(text);
  }

  /** Characters that are not printed yet. */
  get waiting(): number {
    return this.#queue.waiting;
  }

  /** Resolves when everything is printed, or the reader is gone. */
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

/** An entry as `mgr up` prints it, with its newline; "" for entries that only `mgr log` shows. */
export function logLine({ ts, level, source, msg }: LogEntry): string {
  if (level === "debug") return "";
  const shownLevel = { info: paint("grey", "info "), warning: paint("yellow", "warn "), error: paint("red", "error") }[level];
  return `${paint("grey", ts.slice(11))} ${shownLevel} ${visible(source === "manager" ? msg : `${source}: ${msg}`)}\n`;
}
