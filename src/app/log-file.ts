import pino, { stdTimeFunctions } from "pino";
import type { LogBook } from "../log/log-book.ts";
import { RotatedFile } from "../log/rotated-file.ts";

const PINO_LEVELS = { debug: "debug", info: "info", warning: "warn", error: "error" } as const;

/**
 * Copies the log book into a file of JSON lines from now on; with its predecessor `<path>.1` it takes at most 20 MiB.
 * Returns the way to stop, which resolves when what is pending is written. A full disk, or one that stands still, costs
 * lines, which the file says, and nothing else: the log book itself stays complete in memory.
 */
export function openLogFile(path: string, book: LogBook, maxBytes?: number): () => Promise<void> {
  const base = { pid: process.pid };
  const lostLine = (count: number) => {
    const msg = `${count} lines could not be written: the disk was full or stood still`;
    return `${JSON.stringify({ level: 40, time: new Date().toISOString(), ...base, source: "manager", msg })}\n`;
  };
  const file = new RotatedFile({ path, lostLine, ...(maxBytes === undefined ? {} : { maxBytes }) });
  const logger = pino({ level: "debug", base, timestamp: stdTimeFunctions.isoTime }, file);
  const leave = book.subscribe((entry) =>
    logger[PINO_LEVELS[entry.level]]({ id: entry.id, ts: entry.ts, source: entry.source }, entry.msg),
  );
  // What a program says in its last moments is what one looks for.
  const flush = () => file.flushNow();
  process.on("exit", flush);
  return () => {
    leave();
    process.off("exit", flush);
    return file.close();
  };
}
