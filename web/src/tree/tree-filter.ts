import { computed, signal } from "@preact/signals";
import { shownState, wordOf } from "../../../src/client/shown/shown-state.ts";
import type { Process } from "../../../src/protocol/resources/resources.ts";
import { isTrouble } from "../actions/actions.ts";
import { needsAttention } from "../state/attention.ts";
import { processNames, processOf } from "../state/store.ts";
import { fuzzyScore } from "../ui/fuzzy.ts";

/** Minimum length of a word that is also searched for as an abbreviation, characters. */
const MIN_ABBREVIATION = 3;

/** Text of the tree's filter. */
export const filter = signal("");

/** Whether a process matches a word of the filter, such as `tag:sim`; null: the word is none of this kind. Reads signals. */
export type FilterWord = (name: string, word: string) => boolean | null;
const words: FilterWord[] = [];

/** Adds a kind of words to the filter. */
export function addFilterWord(word: FilterWord): void {
  words.push(word);
}

/** Whether a process matches every word: `is:error` its state, `is:attention` that it needs attention, `host:rt1` its host, anything else its name. */
export function fits(name: string, query: string): boolean {
  return query.split(/\s+/).every((word) => {
    for (const matches of words) {
      const answer = matches(name, word);
      if (answer !== null) return answer;
    }
    const [, key, value = ""] = /^(is|host):(\S*)$/.exec(word) ?? [];
    if (key === "is") return isInState(processOf(name), value);
    if (key === "host") return processOf(name)?.host.startsWith(value) ?? false;
    return name.toLowerCase().includes(word.toLowerCase()) || (word.length >= MIN_ABBREVIATION && fuzzyScore(word, name) !== null);
  });
}

/** Whether a process is in a state: by the shown word, by the name of the state, `trouble` or `attention`. */
function isInState(process: Process | undefined, value: string): boolean {
  if (process === undefined) return false;
  const state = shownState(process);
  if (value === "attention") return isTrouble(process) || needsAttention(process.name);
  return state === value || wordOf(state) === value || (value === "trouble" && isTrouble(process));
}

/** Names of the filtered processes; null without a filter. */
export const filtered = computed<string[] | null>(() => {
  const query = filter.value.trim();
  return query === "" ? null : processNames.value.filter((name) => fits(name, query));
});

/** Shows only processes that match by name or state (`is:error`). */
export function filterTree(text: string): void {
  filter.value = text;
}

export function focusFilter(): void {
  document.getElementById("filter")?.focus();
}
