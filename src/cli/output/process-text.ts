import { statusReason } from "../../client/shown/status-reason.ts";
import type { HostEntry, Process } from "../../protocol/resources/resources.ts";

/**
 * Uptime of a process. `now` is the time of the host's clock, as all times of the process; those are in UTC without a zone
 * (docs/design/wire-rules.md, "Conventions for every frame").
 */
export function uptime(row: Process, now: number): string {
  if (row.pid === null || row.start_time === null) return "-";
  const seconds = Math.max(0, Math.floor((now - timeOf(row.start_time)) / 1_000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m${seconds % 60}s`;
  return `${Math.floor(seconds / 3_600)}h${Math.floor((seconds % 3_600) / 60)}m`;
}

/** Reason for the state, if the state does not show it, and whether the running process is out of date. */
export function remark(row: Process, now: number, host?: HostEntry): string {
  const words = { at: clockTime, in: (timestamp: string) => inTime(timeOf(timestamp) - now) };
  const why = statusReason(row, words, host);
  // The word for the state is shown beside it.
  return [why === row.state ? "" : why, row.needs_restart ? "restart to apply changes" : ""].filter((text) => text !== "").join("; ");
}

function inTime(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1_000);
  if (seconds <= 0) return "now";
  return seconds < 120 ? `in ${seconds} s` : `in ${Math.ceil(seconds / 60)} min`;
}

/** Local time of a timestamp; with its date if that is not today. */
export function clockTime(timestamp: string): string {
  const at = new Date(timeOf(timestamp));
  const two = (value: number) => String(value).padStart(2, "0");
  const clock = `${two(at.getHours())}:${two(at.getMinutes())}`;
  if (at.toDateString() === new Date().toDateString()) return clock;
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${clock}`;
}

function timeOf(timestamp: string): number {
  return Date.parse(`${timestamp}Z`);
}
