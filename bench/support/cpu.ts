import { readFileSync } from "node:fs";

/** Of the kernel's clock in /proc, milliseconds. */
const TICK_MS = 10;

/** Processor time of a process so far, all threads, milliseconds. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
