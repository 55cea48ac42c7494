import { readdirSync, readFileSync } from "node:fs";

/** How many processes have the marker of a daemon's runs in their environment; they are killed, so that none is counted twice. */
export function killLeft(marker: string): number {
  const left = readdirSync("/proc").filter((name) => Number(name) > 0 && environmentOf(name).includes(`MGR_RUN=${marker}:`));
  for (const pid of left) process.kill(Number(pid), "SIGKILL");
  return left.length;
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return ""; // It has ended.
  }
}
