import { messageOf } from "../../base/errors.ts";
import { readLastLines } from "../../log/last-lines.ts";
import type { LogBook } from "../../log/log-book.ts";
import { RotatedFile } from "../../log/rotated-file.ts";
import { RunHistory } from "../processes/run-history.ts";

/** Bytes of one of the two files: some 5,000 ends of runs. */
const MAX_BYTES = 1024 * 1024;

/**
 * The run history that a file of JSON lines keeps for the next manager. Without the file, which is logged, it is kept in memory. `close`
 * resolves when what is pending is written.
 */
export async function openRunHistory(path: string, log: LogBook): Promise<{ history: RunHistory; close: () => Promise<void> }> {
  try {
    const saved = await readLastLines(path, 2 * MAX_BYTES);
    const file = new RotatedFile({ path, maxBytes: MAX_BYTES, lostLine: (count) => `${JSON.stringify({ lost: count })}\n` });
    const history = new RunHistory({ saved, save: (end) => file.write(`${JSON.stringify(end)}\n`) });
    return { history, close: () => file.close() };
  } catch (error) {
    log.append({ level: "warning", source: "manager", msg: `the run history is not saved: ${messageOf(error)}` });
    return { history: new RunHistory(), close: () => Promise.resolve() };
  }
}
