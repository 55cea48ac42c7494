import { readdirSync, readFileSync } from "node:fs";

/** Everything that belongs to an instance carries this variable: manager, daemon, guard, children, and theirs. */
export const MARK = "MGR_E2E_MARK";

/** A living process. */
export interface Living {
  readonly pid: number;
  readonly command: string;
}

/** Processes that carry the mark now, wherever they were reparented to and whatever session they are in. Zombies do not count. */
export function markedProcesses(mark: string): Living[] {
  const found: Living[] = [];
  for (const entry of readdirSync("/proc")) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || !isMarked(pid, mark)) continue;
    found.push({ pid, command: readProc(pid, "cmdline").replaceAll("\0", " ").trim() });
  }
  return found;
}

function isMarked(pid: number, mark: string): boolean {
  return readProc(pid, "environ").split("\0").includes(`${MARK}=${mark}`);
}

/** Empty when it is gone, a zombie (it has no environment any more), or somebody else's. */
function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}

/** Start time of a process in clock ticks since boot: with the pid it names the process. Null when it is gone. */
export function startTime(pid: number): string | null {
  const stat = readProc(pid, "stat");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return stat === "" || fields[0] === "Z" ? null : (fields[19] ?? null);
}

export const isAlive = (pid: number): boolean => startTime(pid) !== null;
