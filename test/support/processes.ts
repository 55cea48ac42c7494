import { readFileSync } from "node:fs";
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

let last = 0;
/** A number of seconds that no other sleep has: about a day, and a fraction that names it. */
export function uniqueSeconds(): string {
  last += 1;
  return `86400.${process.pid}${String(last).padStart(4, "0")}`;
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

function wordsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return []; // It ended while we looked.
  }
}
