import { readFileSync } from "node:fs";

/** Descriptors that connections may never take: the bus, the log, the auth file, archives and everything else need some. */
const RESERVE = 128;

/** How many connections the limit of open files of this process leaves room for. */
export function connectionsThatFit(wanted: number): number {
  const limit = openFilesLimit();
  return Math.min(wanted, Math.max(limit - RESERVE, Math.floor(limit / 2)));
}

function openFilesLimit(): number {
  try {
    const match = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync("/proc/self/limits", "utf8"));
    return match?.[1] === undefined || match[1] === "unlimited" ? Number.POSITIVE_INFINITY : Number(match[1]);
  } catch {
    return Number.POSITIVE_INFINITY; // No /proc: the accept error that comes instead is survived too.
  }
}
