import type { Recording } from "../wire.ts";

type Times = Recording["files"][number];

/** Milliseconds from the first to the last message of files; null: the files have no messages. */
export function recordedSpan(files: readonly Pick<Times, "start_time" | "end_time">[]): number | null {
  const starts = files.flatMap(({ start_time }) => (start_time === null ? [] : [timeOf(start_time)]));
  const ends = files.flatMap(({ end_time }) => (end_time === null ? [] : [timeOf(end_time)]));
  return starts.length === 0 || ends.length === 0 ? null : Math.max(0, Math.max(...ends) - Math.min(...starts));
}

function timeOf(timestamp: string): number {
  return Date.parse(`${timestamp}Z`);
}
