import { renameSync, statSync } from "node:fs";
import pino from "pino";
import type { LogBook } from "../log/log-book.ts";

/** A log file larger than this is set aside as `<path>.1` at the next start, bytes. */
const ROTATE_AT_BYTES = 10 * 1024 * 1024;

const PINO_LEVELS = { debug: "debug", info: "info", warning: "warn", error: "error" } as const;

/** Copies the log book into a file of JSON lines from now on. Returns the way to stop, which writes what is pending. */
export function openLogFile(path: string, book: LogBook): () => void {
  rotate(path);
  const destination = pino.destination({ dest: path, mode: 0o600, sync: true });
  const logger = pino({ level: "debug", base: { pid: process.pid } }, destination);
  // A full disk must not end the manager: the log book itself stays complete in memory.
  destination.on("error", () => {});
  const leave = book.subscribe((entry) =>
    logger[PINO_LEVELS[entry.level]]({ id: entry.id, ts: entry.ts, source: entry.source }, entry.msg),
  );
  return () => {
    leave();
    destination.flushSync();
    destination.end();
  };
}

function rotate(path: string): void {
  try {
    if (statSync(path).size > ROTATE_AT_BYTES) renameSync(path, `${path}.1`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
