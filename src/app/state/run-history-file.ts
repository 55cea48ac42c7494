import { messageOf } from "../../base/errors.ts";
import { readLastLines } from "../../log/last-lines.ts";
import type { LogBook } from "../../log/log-book.ts";
import { RotatedFile } from "../../log/rotated-file.ts";
import { RunHistory } from "./run-history.ts";

/** Maximum size of each of the two files, bytes: about 5,000 ended runs. */
const MAX_BYTES = 1024 * 1024;

/**
 * The run history, kept for the next manager in a file of JSON lines. If the file cannot be used, this is logged and the history is kept in
 * memory. `close` resolves when pending lines are written.
 */
export async function openRunHistory(path: string, log: LogBook): Promise<{ history: RunHistory; close: () => Promise<void> }> {
  try {
    const saved = await readLastLines(path, 2 * MAX_BYTES);
    const file = new RotatedFile({ path, maxBytes: MAX_BYTES, lostLine: (count) => `${JSON.stringify({ lost: count })}\n` });
    const history = new RunHistory({ saved, save: (end) => file.write(`${JSON.stringify(end)}\n`) });
    return { history, close: () => file.close() };
  } catch (error) {
    log.warn(`the run history is not saved: ${messageOf(error)}`);
    return { history: new RunHistory(), close: () => Promise.resolve() };
  }
}
