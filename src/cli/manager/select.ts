import { compileFnmatch } from "../../base/fnmatch.ts";
import { isWithin } from "../../base/names.ts";
import { didYouMeanName } from "../../base/suggest.ts";
import { readStat } from "../../daemon/tree/proc.ts";
import type { Process } from "../../protocol/resources/resources.ts";
import { CommandFailure, EXIT } from "../exit-codes.ts";

/** Generations that are looked at: more than any terminal has. */
const MAX_ANCESTORS = 64;

/** Processes named on a command line: by process name, group, or fnmatch pattern. Each argument has to match something. */
export function selectProcesses<Named extends Pick<Process, "name">>(processes: readonly Named[], wanted: readonly string[]): Named[] {
  const chosen = new Set<Named>();
  for (const word of wanted) {
    // A name may contain pattern characters: an exact name means that process alone.
    const named = processes.filter((process) => isWithin(process.name, word));
    const matches = compileFnmatch(word);
    const found = named.length > 0 ? named : processes.filter((process) => matches(process.name));
    if (found.length === 0) {
      const suggestion = didYouMeanName(
        word,
        processes.map(({ name }) => name),
      );
      throw new CommandFailure(EXIT.notFound, `'${word}' matches no process or group${suggestion || "; 'mgr ps' lists all"}`);
    }
    for (const process of found) chosen.add(process);
  }
  return [...chosen];
}

/** Whether this very command runs within `process`: what it prints there would be output of the process, printed again for ever. */
export function runsWithin({ name, pid }: Pick<Process, "name" | "pid">, environment: NodeJS.ProcessEnv = process.env): boolean {
  // Said by the daemon to everything that it starts; the pid tells processes of one name in two instances apart.
  return pid !== null && environment.MGR_PROCESS === name && ancestors().includes(pid);
}

function ancestors(): number[] {
  const found: number[] = [];
  for (let pid = process.pid; pid > 1 && found.length < MAX_ANCESTORS; pid = readStat(pid)?.ppid ?? 0) found.push(pid);
  return found;
}
