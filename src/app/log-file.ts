import pino, { stdTimeFunctions } from "pino";
import { z } from "zod";
import { readLastLines } from "../log/last-lines.ts";
import type { LogBook } from "../log/log-book.ts";
import { RotatedFile } from "../log/rotated-file.ts";
import { stateChange } from "../protocol/resources/log.ts";
import type { LogEntry } from "../protocol/resources/resources.ts";

/** Read at the start of a manager: some 20,000 entries. */
const MAX_READ_BYTES = 4 * 1024 * 1024;
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
    logger[PINO_LEVELS[entry.level]]({ id: entry.id, ts: entry.ts, source: entry.source, change: entry.change }, entry.msg),
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

const LEVELS = { 20: "debug", 30: "info", 40: "warning", 50: "error" } as const;
const line = z.object({
  id: z.int(),
  ts: z.string(),
  level: z.literal([20, 30, 40, 50]),
  source: z.string(),
  msg: z.string(),
  change: stateChange.exactOptional(),
});

/** The last `count` entries at most of the file and its predecessor, oldest first. What cannot be read is left out. */
export async function readLogFile(path: string, count: number): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  let lastId = 0;
  for (const value of await readLastLines(path, MAX_READ_BYTES)) {
    const { data } = line.safeParse(value);
    // A state folder that was restored from a copy may hold ids twice.
    if (data === undefined || data.id <= lastId) continue;
    lastId = data.id;
    entries.push({ ...data, level: LEVELS[data.level] });
  }
  return entries.slice(-count);
}
