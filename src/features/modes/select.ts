import { compileFnmatch } from "../../base/patterns/fnmatch.ts";
import { isWithin } from "../../base/text/names.ts";
import type { ProcessTags } from "../tags/wire.ts";

/** Processes and tags from which the words of a mode select. */
export interface Selectable {
  readonly name: string;
  readonly tags: Readonly<ProcessTags["tags"]>;
}

const TAG = "tag:";

/** Names of the processes that a word selects: a process, a group, `tag:NAME` or a pattern, as on the command line. */
export function selectedBy(word: string, processes: readonly Selectable[]): string[] {
  const named = processes.filter(({ name }) => isWithin(name, word));
  if (named.length > 0) return named.map(({ name }) => name);
  const matches = compileFnmatch(word);
  const isSelected = word.startsWith(TAG)
    ? ({ tags }: Selectable) => tags.includes(word.slice(TAG.length))
    : ({ name }: Selectable) => matches(name);
  return processes.filter(isSelected).map(({ name }) => name);
}
