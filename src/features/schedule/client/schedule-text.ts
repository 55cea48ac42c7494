import type { ScheduleState } from "../wire.ts";

const UNITS = [
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
] as const;

/** A period as the configuration writes it: "5m", "1m30s". */
export function periodText(milliseconds: number): string {
  let rest = milliseconds;
  return UNITS.map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? "" : `${count}${unit}`;
  }).join("");
}

/** The times of a schedule: "every 5m", "cron 0 3 * * * (Europe/Berlin)". */
export function timesText({ cron, timezone, every_ms }: Pick<ScheduleState, "cron" | "timezone" | "every_ms">): string {
  if (every_ms !== null) return `every ${periodText(every_ms)}`;
  return `cron ${cron}${timezone === null ? "" : ` (${timezone})`}`;
}

/** When the next run begins: a time, "paused", "pending", or "-" if there is none. */
export function nextRunText({ next_run, paused, pending }: ScheduleState, time: (timestamp: string) => string): string {
  if (paused) return "paused";
  if (pending) return "pending";
  return next_run === null ? "-" : time(next_run);
}

/** Runs that were left out: the part of a sentence; "" if there are none. */
export function skippedText({ skipped }: Pick<ScheduleState, "skipped">, time: (timestamp: string) => string): string {
  if (skipped === null) return "";
  const { count, at, reason } = skipped;
  return count === 1 ? `run of ${time(at)} skipped: ${reason}` : `${count} runs skipped, the last at ${time(at)}: ${reason}`;
}
