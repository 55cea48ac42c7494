import { readFileSync, readlinkSync } from "node:fs";
import { listPids, readStat } from "../../src/daemon/proc/proc.ts";

/** Pids of the living processes with `word` among their arguments: what a test left behind, or set out to kill. */
export function processesWith(word: string): number[] {
  return listPids().filter(
    (pid) => pid !== process.pid && wordsOf(pid).some((argument) => argument.includes(word)) && readStat(pid)?.ended === false,
  );
}

/** Ends a process of a test that may have ended by itself. */
export function killIfThere(pid: number | null): void {
  try {
    if (pid !== null) process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}

/** The kernel's pids are below 2^22. */
const PID_DIGITS = 7;
let last = 0;
/** A number of seconds that no other sleep has: about a day, and a fraction that names it. */
export function uniqueSeconds(): string {
  last += 1;
  // Words have a fixed length: that of one worker must not be found in that of another one, whose pid is longer.
  return `86400.${String(process.pid).padStart(PID_DIGITS, "0")}${String(last).padStart(4, "0")}`;
}

/** Waits until `check` is true, or says what was still there. */
export async function until(check: () => boolean, milliseconds: number, what: () => unknown): Promise<void> {
  const deadline = performance.now() + milliseconds;
  for (;;) {
    const begin = performance.now();
    if (check()) return;
    const now = performance.now();
    if (now > deadline) throw new Error(`after ${milliseconds} ms still: ${JSON.stringify(what())}`);
    // A look at all processes of the machine takes long: what is waited for has the processor for at least as long.
    await new Promise((resolve) => setTimeout(resolve, Math.max(10, now - begin)));
  }
}

/** Resolves when a process has this text in its environment: for a moment after `spawn`, it is still executing its program and has none. */
export function untilEnvironment(pid: number, text: string): Promise<void> {
  return until(
    () => readFileSync(`/proc/${pid}/environ`, "utf8").includes(text),
    60_000,
    () => `pid ${pid}`,
  );
}

/** Longest time that a process may take for the moment in which it has a new program, but no arguments yet, milliseconds. */
const EXECVE_MS = 200;

function wordsOf(pid: number): string[] {
  const begin = performance.now();
  for (;;) {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      if (words !== "" || performance.now() > begin + EXECVE_MS) return words.split("\0");
      // Neither a thread of the kernel nor a process that has ended has a program. On a busy machine the moment may be long.
      readlinkSync(`/proc/${pid}/exe`);
    } catch {
      return []; // It ended while we looked, or is another user's.
    }
  }
}
