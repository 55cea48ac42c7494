import { compileFnmatch } from "../../base/fnmatch.ts";
import { isWithin } from "../../base/names.ts";
import { didYouMeanName } from "../../base/suggest.ts";
import type { Process } from "../../protocol/resources/resources.ts";
import { CommandFailure, EXIT } from "../exit-codes.ts";

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
