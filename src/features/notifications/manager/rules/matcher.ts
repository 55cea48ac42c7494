import type { Condition } from "../../../../app/conditions.ts";
import { compileFnmatch } from "../../../../base/patterns/fnmatch.ts";
import { isWithin } from "../../../../base/text/names.ts";
import { tagOfWord } from "../../../tags/tag-word.ts";
import type { RuleDefinition } from "../../config.ts";

/** Whether a rule applies to a condition. `tagsOf`: tags of a process. */
export function ruleMatcher(
  { on, processes, tags, hosts }: Pick<RuleDefinition, "on" | "processes" | "tags" | "hosts">,
  tagsOf: (process: string) => readonly string[],
): (condition: Condition) => boolean {
  const isNamed = processes === null ? () => true : anyOf(processes);
  const isOnHost = hosts === null ? () => true : anyOf(hosts);
  return ({ kind, process, host }) => {
    if (on !== null && !on.includes(kind)) return false;
    if (processes !== null && (process === null || !isNamed(process))) return false;
    if (tags !== null && (process === null || !tagsOf(process).some((tag) => tags.includes(tag)))) return false;
    return hosts === null || (host !== null && isOnHost(host));
  };
}

/** Whether a silence of this pattern holds back a condition: by its process, a group of it, a tag of it (`tag:sim`), or its host. */
export function silenceMatcher(pattern: string, tagsOf: (process: string) => readonly string[]): (condition: Condition) => boolean {
  const matches = anyOf([pattern]);
  const tag = tagOfWord(pattern);
  const isMeant = (process: string) => matches(process) || (tag !== null && tagsOf(process).includes(tag));
  return ({ process, host }) => (process !== null && isMeant(process)) || (host !== null && matches(host));
}

/** Whether a name matches one of the patterns, or is in a group of such a name. */
function anyOf(patterns: readonly string[]): (name: string) => boolean {
  const compiled = patterns.map((pattern) => ({ pattern, matches: compileFnmatch(pattern) }));
  return (name) => compiled.some(({ pattern, matches }) => matches(name) || isWithin(name, pattern));
}
