import { join } from "node:path";
import { parseJson } from "../../../base/json.ts";
import { hasShape } from "../../../base/shape.ts";
import { visibleLines } from "../../../base/text/visible-text.ts";
import { clockTime } from "../../../cli/output/process-text.ts";
import { isHolder, readLockInfo } from "../../../daemon/session/lock-info.ts";
import { readStateText } from "../../../files/state-file.ts";
import { formatTime } from "../../../protocol/time.ts";
import { RESTART_STATUS, type RestartStatus, STATUS_FILE } from "../restart-status.ts";

/** The file holds one status, bytes. */
const MAX_BYTES = 64 * 1024;

/** Reads what has happened to the manager with this state folder, and when its daemon starts it again; null: nothing is known. */
export function absence(stateDir: string, now = Date.now()): string | null {
  const status = readStatus(stateDir);
  if (status === null) return null;
  const { ended_at, how, next_at, problem } = status;
  const ended = `ended unexpectedly at ${clockTime(formatTime(ended_at))}${how === null ? "" : ` (${visibleLines(how)})`}`;
  if (problem !== null) return `${ended} and is not started again by its daemon: ${visibleLines(problem)}`;
  const seconds = next_at === null ? 0 : Math.ceil((next_at - now) / 1_000);
  return `${ended}; its daemon ${seconds > 0 ? `starts it again in ${seconds} s` : "is starting it again"}`;
}

function readStatus(stateDir: string): RestartStatus | null {
  const asRoot = { rootReadsAll: true };
  try {
    const status = parseJson(readStateText(join(stateDir, STATUS_FILE), { ...asRoot, maxBytes: MAX_BYTES }) ?? "");
    if (!hasShape(status, RESTART_STATUS)) return null;
    const daemon = readLockInfo(join(stateDir, "daemon.lock"), asRoot);
    // A daemon that was killed has left it.
    return daemon !== null && daemon.pid === status.daemon_pid && isHolder(daemon) ? status : null;
  } catch {
    return null; // A file that another user may have written says nothing.
  }
}
