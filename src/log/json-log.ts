import { type Logger, pino, stdTimeFunctions } from "pino";
import { RotatedFile } from "./rotated-file.ts";

/** Names of log levels in pino. */
export const PINO_LEVELS = { debug: "debug", info: "info", warning: "warn", error: "error" } as const;

interface JsonLogOptions {
  /** Minimum level: entries of lower levels are dropped. */
  level: "debug" | "info";
  source: string;
  /** Maximum size of each of the two files, bytes. */
  maxBytes?: number | undefined;
}

/** A log file of JSON lines, one entry per line. */
export interface JsonLog {
  readonly logger: Logger;
  /** Writes what is queued, and waits for the disk: the program is about to end. */
  flush(): void;
  /** Resolves when everything is written, or the time limit for it is over. */
  close(): Promise<void>;
}

/**
 * Opens a log file; with its predecessor `<path>.1` it uses at most 20 MiB. Callers never wait for the disk: if it is full or does not
 * respond, lines are lost, and the file reports their number as an entry of `source`. Lines written before an exit are on disk after it.
 */
export function openJsonLog(path: string, { level, source, maxBytes }: JsonLogOptions): JsonLog {
  const base = { pid: process.pid };
  const lostLine = (count: number) => {
    const msg = `${count} lines could not be written: the disk was full or did not respond`;
    return `${JSON.stringify({ level: 40, time: new Date().toISOString(), ...base, source, msg })}\n`;
  };
  const file = new RotatedFile({ path, lostLine, maxBytes });
  // The last lines of a program explain its end.
  const flush = () => file.flushNow();
  process.on("exit", flush);
  const close = () => {
    process.off("exit", flush);
    return file.close();
  };
  return { logger: pino({ level, base, timestamp: stdTimeFunctions.isoTime }, file), flush, close };
}
