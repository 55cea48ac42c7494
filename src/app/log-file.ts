import { z } from "zod";
import { openJsonFile } from "../log/json-file.ts";
import { lineMaker } from "../log/json-log.ts";
import { readLastLines } from "../log/last-lines.ts";
import type { LogBook } from "../log/log-book.ts";
import { stateChange, userAction } from "../protocol/resources/log.ts";
import type { LogEntry } from "../protocol/resources/resources.ts";

/** Maximum number of bytes read when a manager starts: some 20,000 entries. */
const MAX_READ_BYTES = 4 * 1024 * 1024;

/** Length of a line besides the message of its entry, characters, about. */
const LINE_CHARS = 250;

/** Copies new entries of the log book into a file. Returns the function that stops it, which resolves when all is written. */
export function openLogFile(path: string, book: LogBook, maxBytes?: number): () => Promise<void> {
  const { file, close } = openJsonFile(path, { source: "manager", maxBytes });
  const lineOf = lineMaker();
  const unsubscribe = book.subscribe(({ level, ts, msg, id, source, change, action, about }) => {
    const text = () => lineOf({ level, time: `${ts}Z`, msg }, { id, ts, source, change, action, about });
    file.write({ length: LINE_CHARS + msg.length, text });
  });
  return () => {
    unsubscribe();
    return close();
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
  action: userAction.exactOptional(),
  about: z.array(z.string()).exactOptional(),
});

/** Returns the last `count` entries at most of the file and its predecessor, oldest first. Skips lines that cannot be read. */
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
