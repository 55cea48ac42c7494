import { poll } from "../../base/timing/wait.ts";
import { isAlive, listPids, readProcFile, startTimeOf } from "../proc/proc.ts";
import { isOwn, seesSameFolder } from "../session/lock-holder.ts";
import { killLeftovers } from "./guard.ts";
import { GUARD_NAME } from "./guard-script.ts";

/** Time limit for the guard of a killed host to kill its processes, milliseconds. */
const KILL_MS = 10_000;
const CHECK_INTERVAL_MS = 20;

interface FoundGuard {
  pid: number;
  startTime: string;
  marker: string;
}

/**
 * Kills the remaining processes of a killed host whose guard is still at work, and waits for that guard: if the state folder was removed,
 * nothing else identifies that host. `locks` are the paths of its lock file, which the caller holds. Resolves with the marker of its runs,
 * null if there is none.
 */
export async function killGuarded(locks: readonly string[]): Promise<string | null> {
  const guards = findGuards(locks);
  await Promise.all(guards.map(({ marker }) => killLeftovers(marker)));
  await poll(() => !guards.some(({ pid, startTime }) => isAlive(pid, startTime)), { everyMs: CHECK_INTERVAL_MS, forMs: KILL_MS });
  return guards[0]?.marker ?? null;
}

function findGuards(locks: readonly string[]): FoundGuard[] {
  return listPids().flatMap((pid) => {
    const startTime = startTimeOf(pid);
    const [, , , name, marker, , ...theirs] = readProcFile(`/proc/${pid}/cmdline`)?.toString("utf8").split("\0") ?? [];
    if (startTime === null || name !== GUARD_NAME || marker === undefined) return [];
    const path = theirs.find((each) => locks.includes(each));
    return path !== undefined && isOwn(pid) && seesSameFolder(pid, path) ? [{ pid, startTime, marker }] : [];
  });
}
