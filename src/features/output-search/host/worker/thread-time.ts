import { readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";

/** The id that the kernel has for the thread that asks. */
export function threadId(): number {
  return Number(basename(readlinkSync("/proc/thread-self")));
}

/** Processor time of a thread of this process by /proc, milliseconds. The text is that of its `schedstat`. */
export function cpuMsOf(schedstat: string): number {
  return Number(schedstat.split(" ", 1)[0]) / 1e6;
}

/** Processor time of the thread that asks, milliseconds. */
export function ownCpuMs(): number {
  return cpuMsOf(readFileSync("/proc/thread-self/schedstat", "latin1"));
}
