import { computed, signal } from "@preact/signals";
import { shownState, wordOf } from "../../../src/client/shown/shown-state.ts";
import type { Process } from "../../../src/protocol/resources/resources.ts";
import { isTrouble } from "../actions/actions.ts";
import { needsAttention } from "../state/attention.ts";
import { processNames, processOf } from "../state/store.ts";
import { fuzzyMatcher } from "../ui/fuzzy.ts";

/** Minimum length of a word that is also searched for as an abbreviation, characters. */
const MIN_ABBREVIATION = 3;

/** Text of the tree's filter. */
export const filter = signal("");

/** The test of processes, by their names, for a word of the filter such as `tag:sim`; null: the word is none of this kind. The test reads signals. */
export type FilterWord = (word: string) => ((name: string) => boolean) | null;
const words: FilterWord[] = [];

/** Adds a kind of words to the filter. */
export function addFilterWord(word: FilterWord): void {
  words.push(word);
}

/** The test for a word: `is:error` is about the state, `is:attention` about whether it needs attention, `host:rt1` about the host, anything else about the name. */
function testOf(word: string): (name: string) => boolean {
  for (const kind of words) {
    const test = kind(word);
    if (test !== null) return test;
  }
  const [, key, value = ""] = /^(is|host):(\S*)$/.exec(word) ?? [];
  if (key === "is") return (name) => isInState(processOf(name), value);
  if (key === "host") return (name) => processOf(name)?.host.startsWith(value) ?? false;
  const part = word.toLowerCase();
  if (word.length < MIN_ABBREVIATION) return (name) => name.toLowerCase().includes(part);
  const scoreOf = fuzzyMatcher(word);
  return (name) => scoreOf(name) !== null;
}

/** Whether a process is in a state: by the shown word, by the name of the state, `trouble` or `attention`. */
function isInState(process: Process | undefined, value: string): boolean {
  if (process === undefined) return false;
  const state = shownState(process);
  if (value === "attention") return isTrouble(process) || needsAttention(process.name);
  return state === value || wordOf(state) === value || (value === "trouble" && isTrouble(process));
}

/** Names of the processes that match every word of the filter; null without a filter. */
export const filtered = computed<string[] | null>(() => {
  const query = filter.value.trim();
  if (query === "") return null;
  const tests = query.split(/\s+/).map(testOf);
  return processNames.value.filter((name) => tests.every((test) => test(name)));
});

/** Shows only processes that match by name or state (`is:error`). */
export function filterTree(text: string): void {
  filter.value = text;
}

export function focusFilter(): void {
  document.getElementById("filter")?.focus();
}
