import type { Recording } from "../wire.ts";

type Times = Recording["files"][number];

/** How long something took: "0.4 s", "12 s", "3 min 5 s", "2 h 10 min". */
export function spanText(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds / 1_000);
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
}

/** Milliseconds from the first to the last message of files; null: they have none. */
export function recordedSpan(files: readonly Pick<Times, "start_time" | "end_time">[]): number | null {
  const starts = files.flatMap(({ start_time }) => (start_time === null ? [] : [timeOf(start_time)]));
  const ends = files.flatMap(({ end_time }) => (end_time === null ? [] : [timeOf(end_time)]));
  return starts.length === 0 || ends.length === 0 ? null : Math.max(0, Math.max(...ends) - Math.min(...starts));
}

function timeOf(timestamp: string): number {
  return Date.parse(`${timestamp}Z`);
}
