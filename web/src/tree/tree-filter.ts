import { computed, signal } from "@preact/signals";
import { shownState, wordOf } from "../../../src/client/shown/shown-state.ts";
import type { Process } from "../../../src/protocol/resources/resources.ts";
import { isTrouble } from "../actions/actions.ts";
import { processNames, processOf } from "../state/store.ts";
import { fuzzyScore } from "../ui/fuzzy.ts";

/** Characters of a word that is also looked for as an abbreviation. */
const MIN_ABBREVIATION = 3;

/** What the user has typed into the filter of the tree. */
export const filter = signal("");

/** Every word has to fit: `is:error` the state, `host:rt1` the host, anything else the name. */
export function fits(name: string, wanted: string): boolean {
  return wanted.split(/\s+/).every((word) => {
    const [, key, value = ""] = /^(is|host):(\S*)$/.exec(word) ?? [];
    if (key === "is") return isInState(processOf(name), value);
    if (key === "host") return processOf(name)?.host.startsWith(value) ?? false;
    return name.toLowerCase().includes(word.toLowerCase()) || (word.length >= MIN_ABBREVIATION && fuzzyScore(word, name) !== null);
  });
}

/** By the word that is shown, by the name of the state, or `trouble`. */
function isInState(process: Process | undefined, value: string): boolean {
  if (process === undefined) return false;
  const state = shownState(process);
  return state === value || wordOf(state) === value || (value === "trouble" && isTrouble(process));
}

/** Names of the filtered processes; null without a filter. */
export const filtered = computed<string[] | null>(() => {
  const wanted = filter.value.trim();
  return wanted === "" ? null : processNames.value.filter((name) => fits(name, wanted));
});

/** Shows only processes whose name or state (`is:error`) fits. */
export function filterTree(text: string): void {
  filter.value = text;
}

export function focusFilter(): void {
  document.getElementById("filter")?.focus();
}
