import { exitText } from "../../client/handles/exit-text.ts";
import type { Process } from "../../protocol/resources/resources.ts";

/** Times are the host's clock, and so is `now`; in UTC without a zone (docs/design/wire-rules.md, "Conventions for every frame"). */
export function uptime(row: Process, now: number): string {
  if (row.pid === null || row.start_time === null) return "-";
  const seconds = Math.max(0, Math.floor((now - Date.parse(`${row.start_time}Z`)) / 1_000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m${seconds % 60}s`;
  return `${Math.floor(seconds / 3_600)}h${Math.floor((seconds % 3_600) / 60)}m`;
}

/** Why it is as it is, where that is not plain from the state. */
export function remark(row: Process): string {
  if (row.state === "waiting") return `waiting for ${row.waiting_for.join(", ")}`;
  if (row.state === "backoff" && row.next_start_time !== null) return `${exitText(row)}; next start ${row.next_start_time}`;
  if (row.state === "error") return exitText(row);
  return row.state === "stopped" && row.exit !== null ? exitText(row) : "";
}
