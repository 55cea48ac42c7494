import { isWithin } from "../../base/text/names.ts";
import type { ManagerClient } from "../../client/manager-client.ts";
import type { Config } from "../../config/definition.ts";
import type { Process, Snapshot } from "../../protocol/resources/resources.ts";
import { CommandFailure, EXIT } from "../command/exit-codes.ts";
import type { ProcessSelector } from "../command/feature.ts";
import { selectProcesses } from "./select.ts";

let selectors: readonly ProcessSelector[] = [];

/** Called by the program with those of its features, whose commands select processes, too. */
export function setSelectors(all: readonly ProcessSelector[]): void {
  selectors = all;
}

/** The processes that words select: names, groups, patterns, and words of features such as `tag:sim`. Each has to select something. */
export function processesIn(snapshot: Snapshot, words: readonly string[]): Process[] {
  return selectProcesses(snapshot.processes, namesIn(snapshot, words));
}

/** As `processesIn`, for commands about one process. Fails with exit code 2 and `message` if the words select several. */
export function processIn(snapshot: Snapshot, words: readonly string[], message: string): Process {
  const [first, ...others] = processesIn(snapshot, words);
  if (first === undefined || others.length > 0) throw new CommandFailure(EXIT.usage, message);
  return first;
}

/** Replaces words such as `tag:sim` by the names of the processes that they select. Fails with exit code 3 if one selects none. */
export async function namesOf(client: Pick<ManagerClient, "snapshot">, words: readonly string[]): Promise<string[]> {
  return words.some((word) => selectorOf(word) !== undefined) ? namesIn(await client.snapshot(), words) : [...words];
}

/** As `namesOf`, in a snapshot. A process or group whose name is the word itself comes first. */
export function namesIn(snapshot: Snapshot, words: readonly string[]): string[] {
  const isName = (word: string) => snapshot.processes.some(({ name }) => isWithin(name, word));
  return replaced(words, isName, (selector, word) => selector.select(snapshot, word));
}

/** As `namesOf`, in a configuration whose manager does not run. */
export function configuredNamesIn(config: Config, words: readonly string[]): string[] {
  const isName = (word: string) => [...config.processes.keys()].some((name) => isWithin(name, word));
  return replaced(words, isName, (selector, word) => selector.selectConfigured(config, word));
}

function replaced(
  words: readonly string[],
  isName: (word: string) => boolean,
  select: (selector: ProcessSelector, word: string) => readonly string[],
): string[] {
  return words.flatMap((word) => {
    const selector = selectorOf(word);
    return selector === undefined || isName(word) ? word : select(selector, word);
  });
}

function selectorOf(word: string): ProcessSelector | undefined {
  return selectors.find(({ prefix }) => word.startsWith(prefix));
}
