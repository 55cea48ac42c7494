import { startTimeOf } from "../proc/proc.ts";

/** The kernel's start times have been found to agree with its clock: not in every container or emulation of Linux. */
let isClockRight = false;

/**
 * The start time (`/proc/PID/stat`, field 22) of a child that was forked between two readings of `bootTicks`. If both are the same, it is
 * that tick of 10 ms. To read it takes three calls and waits until the child has executed its program (bench/NOTES.md, "Start of
 * 1,000 processes").
 */
export function startTimeBetween(pid: number, from: number, until: number): string {
  if (isClockRight && from === until) return String(from);
  // Its exit is detected on this thread only, so the entry still exists, even if as a zombie.
  const startTime = startTimeOf(pid) ?? "";
  isClockRight = Number(startTime) >= from && Number(startTime) <= until;
  return startTime;
}
