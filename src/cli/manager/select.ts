import { compileFnmatch } from "../../base/patterns/fnmatch.ts";
import { isWithin } from "../../base/text/names.ts";
import { didYouMeanName } from "../../base/text/suggest.ts";
import { readStat } from "../../daemon/proc/proc.ts";
import type { Process } from "../../protocol/resources/resources.ts";
import { CommandFailure, EXIT } from "../command/exit-codes.ts";

/** Maximum number of ancestors that are checked: more than any terminal has. */
const MAX_ANCESTORS = 64;

/** Kind of the objects that are named on a command line, and the command that lists them. */
export interface Kind {
  readonly word: string;
  readonly list: string;
}

const PROCESS: Kind = { word: "process or group", list: "mgr ps" };

/** Selects processes named on a command line: by process name, group, or fnmatch pattern. Each argument has to match something. */
export function selectProcesses<Named extends Pick<Process, "name">>(processes: readonly Named[], wanted: readonly string[]): Named[] {
  return select(processes, wanted, PROCESS);
}

/** As `selectProcesses`, for anything with names like those of processes. */
export function select<Named extends { readonly name: string }>(all: readonly Named[], wanted: readonly string[], kind: Kind): Named[] {
  const chosen = new Set<Named>();
  for (const word of wanted) {
    // A name may contain pattern characters: an exact name means that process alone.
    const named = all.filter(({ name }) => isWithin(name, word));
    const matches = compileFnmatch(word);
    const found = named.length > 0 ? named : all.filter(({ name }) => matches(name));
    if (found.length === 0) throw notFound(`no ${kind.word} matches '${word}'`, word, all, kind);
    for (const one of found) chosen.add(one);
  }
  return [...chosen];
}

/** Returns the object of this name; else exit code 3. */
export function find<Named extends { readonly name: string }>(all: readonly Named[], name: string, kind: Kind): Named {
  const found = all.find((each) => each.name === name);
  if (found === undefined) throw notFound(`there is no ${kind.word} '${name}'`, name, all, kind);
  return found;
}

export function notFound(sentence: string, word: string, all: readonly { readonly name: string }[], { list }: Kind): CommandFailure {
  const suggestion = didYouMeanName(
    word,
    all.map(({ name }) => name),
  );
  return new CommandFailure(EXIT.notFound, `${sentence}${suggestion || `; '${list}' lists all`}`);
}

/** Whether this command runs within `process`: its output would be output of the process, printed again for ever. */
export function runsWithin({ name, pid }: Pick<Process, "name" | "pid">, environment: NodeJS.ProcessEnv = process.env): boolean {
  // The daemon sets this variable for everything that it starts; the pid distinguishes processes of one name in two instances.
  return pid !== null && environment.MGR_PROCESS === name && ancestors().includes(pid);
}

function ancestors(): number[] {
  const found: number[] = [];
  for (let pid = process.pid; pid > 1 && found.length < MAX_ANCESTORS; pid = readStat(pid)?.ppid ?? 0) found.push(pid);
  return found;
}
