import { readdirSync, readFileSync } from "node:fs";

/** Of the kernel's clock in /proc, milliseconds. */
const TICK_MS = 10;

/** Processor time of a process so far, all threads, milliseconds. */
export function cpuMs(pid: number): number {
  // The ticks of a program with one thread are too coarse for a sum over a thousand of them; the scheduler's count has nanoseconds.
  if (readdirSync(`/proc/${pid}/task`).length === 1) return Number(readFileSync(`/proc/${pid}/schedstat`, "latin1").split(" ")[0]) / 1e6;
  return ticksMs(pid, 11);
}

/** Resident memory of a process, MiB. */
export function residentMib(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) / 1_024;
}

/** Processor time of the children of this process that have ended and of theirs, milliseconds. */
export function endedChildrenCpuMs(): number {
  return ticksMs("self", 13);
}

/** The sum of a time in user mode and of the one in kernel mode behind it in /proc/PID/stat, milliseconds. `first`: its field after the name. */
function ticksMs(pid: number | "self", first: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[first]) + Number(fields[first + 1])) * TICK_MS;
}
