import { signal } from "@preact/signals";
import { show, takesFocus } from "../../state/navigation.ts";
import { holdTyped } from "./typed-ahead.ts";

/** A request to show the search, with what it should search for. */
interface SearchRequest {
  /** Searched at once; null: what was searched before is shown. */
  readonly pattern: string | null;
  /** Names of processes and groups; null: those of before. */
  readonly names: string | null;
}

/** The newest request, until the view has taken it. */
export const searchRequest = signal<SearchRequest | null>(null);

/** Shows the search of output. Its tab is kept: the terminal of a hit does not replace it. */
export function openSearch({ pattern = null, names = null }: Partial<SearchRequest> = {}): void {
  searchRequest.value = { pattern, names };
  show({ kind: "search" }, true);
  // The view takes the keys when its code is loaded.
  if (takesFocus()) holdTyped("Search the output of processes");
}

/** The text in the search of a terminal, if that has the focus: the same is searched everywhere. */
export function textOfTerminalSearch(): string | null {
  const { activeElement } = document;
  const isTyping = activeElement instanceof HTMLInputElement && activeElement.closest(".search-bar") !== null;
  return isTyping && activeElement.value !== "" ? activeElement.value : null;
}
