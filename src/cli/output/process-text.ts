import { exitText } from "../../client/handles/exit-text.ts";
import type { Process } from "../../protocol/resources/resources.ts";

/** `now` is the host's clock, as all times of the process; those are in UTC without a zone (docs/design/wire-rules.md, "Conventions for every frame"). */
export function uptime(row: Process, now: number): string {
  if (row.pid === null || row.start_time === null) return "-";
  const seconds = Math.max(0, Math.floor((now - timeOf(row.start_time)) / 1_000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m${seconds % 60}s`;
  return `${Math.floor(seconds / 3_600)}h${Math.floor((seconds % 3_600) / 60)}m`;
}

/** Why it is in its state, if the state does not say so. */
export function remark(row: Process, now: number): string {
  if (row.state === "waiting") return `waiting for ${row.waiting_for.join(", ")}`;
  if (row.state === "backoff" && row.next_start_time !== null) return `${exitText(row)}; ${restartsIn(timeOf(row.next_start_time) - now)}`;
  if (row.state === "error") return exitText(row);
  return row.state === "stopped" ? whyStopped(row) : "";
}

function whyStopped(row: Process): string {
  const { requested_state, requested_by, requested_time, stopped_with } = row;
  if (requested_state === "stop" && requested_by !== null) {
    const together = stopped_with === null ? "" : ` with ${stopped_with}`;
    return `stopped by ${requested_by}${together}${requested_time === null ? "" : ` at ${clockTime(timeOf(requested_time))}`}`;
  }
  return row.exit === null ? "not started yet" : exitText(row);
}

function restartsIn(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1_000);
  if (seconds <= 0) return "restarts now";
  return seconds < 120 ? `restarts in ${seconds} s` : `restarts in ${Math.ceil(seconds / 60)} min`;
}

/** Local time; with its date if that is not today. */
function clockTime(time: number): string {
  const at = new Date(time);
  const two = (value: number) => String(value).padStart(2, "0");
  const clock = `${two(at.getHours())}:${two(at.getMinutes())}`;
  if (at.toDateString() === new Date().toDateString()) return clock;
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${clock}`;
}

function timeOf(timestamp: string): number {
  return Date.parse(`${timestamp}Z`);
}
