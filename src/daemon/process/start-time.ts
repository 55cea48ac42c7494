import { startTimeOf } from "../proc/proc.ts";

/** Whether the kernel's start times agree with its clock: they do not in every container or emulation of Linux. */
let isClockRight = false;

/**
 * The start time (`/proc/PID/stat`, field 22) of a child that was forked between two readings of `bootTicks`. If both are the same, it is
 * that tick of 10 ms. Reading it takes three calls and waits until the child has executed its program (bench/NOTES.md, "Start of 1,000
 * processes").
 */
export function startTimeBetween(pid: number, from: number, until: number): string {
  if (isClockRight && from === until) return String(from);
  // Its exit is detected on this thread only, so the entry still exists, even if as a zombie.
  const startTime = startTimeOf(pid) ?? "";
  isClockRight = Number(startTime) >= from && Number(startTime) <= until;
  return startTime;
}
