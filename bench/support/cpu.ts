import { readdirSync, readFileSync } from "node:fs";

/** Of the kernel's clock in /proc, milliseconds. */
const TICK_MS = 10;

/** Processor time of a process so far, all threads, milliseconds. */
export function cpuMs(pid: number): number {
  // The ticks of a program with one thread are too coarse for a sum over a thousand of them; the scheduler's count has nanoseconds.
  if (readdirSync(`/proc/${pid}/task`).length === 1) return Number(readFileSync(`/proc/${pid}/schedstat`, "latin1").split(" ")[0]) / 1e6;
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Resident memory of a process, MiB. */
export function residentMib(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) / 1_024;
}

/** Processor time of the children of this process that have ended and of theirs, milliseconds. */
export function endedChildrenCpuMs(): number {
  const fields = readFileSync("/proc/self/stat", "latin1")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS;
}
