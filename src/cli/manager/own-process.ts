import { readStat } from "../../daemon/tree/proc.ts";
import type { Process } from "../../protocol/resources/resources.ts";

/** Generations that are looked at: more than any terminal has. */
const MOST_ANCESTORS = 64;

/** Whether this very command runs within `process`: what it prints there would be output of the process, printed again for ever. */
export function runsWithin({ name, pid }: Pick<Process, "name" | "pid">, environment: NodeJS.ProcessEnv = process.env): boolean {
  // Said by the daemon to everything that it starts; the pid tells processes of one name in two instances apart.
  return pid !== null && environment.MGR_PROCESS === name && ancestors().includes(pid);
}

function ancestors(): number[] {
  const found: number[] = [];
  for (let pid = process.pid; pid > 1 && found.length < MOST_ANCESTORS; pid = readStat(pid)?.ppid ?? 0) found.push(pid);
  return found;
}
