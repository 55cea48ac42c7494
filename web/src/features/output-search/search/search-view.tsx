import { useLayoutEffect, useRef } from "preact/hooks";
import { bytesText } from "../../../../../src/client/shown/units.ts";
import { missingParts } from "../../../../../src/features/output-search/missing-parts.ts";
import { takesFocus } from "../../../state/navigation.ts";
import { searchRequest } from "../open-search.ts";
import { takeTyped } from "../typed-ahead.ts";
import { ResultList } from "./result-list.tsx";
import { SearchForm } from "./search-form.tsx";
import { cancelSearch, query, results, type SearchState, searchState, startSearch } from "./search-run.ts";

const LIMITS = { hits: "number of hits", size: "size of all hits", cpu_time: "processor time" } as const;

/** The search of the output of all processes: what their hosts have in memory, and their log files. */
export function SearchView() {
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const request = searchRequest.value;
  useLayoutEffect(() => {
    if (request === null) return;
    searchRequest.value = null;
    const { pattern, names } = request;
    if (names !== null) query.value = { ...query.peek(), names };
    if (pattern !== null) query.value = { ...query.peek(), pattern };
    const typed = takeTyped();
    const hasText = typed !== null && typed.text !== "";
    // As if it had been typed into the field, whose text is selected.
    if (hasText) query.value = { ...query.peek(), pattern: typed.text };
    if (hasText ? typed.isComplete : pattern !== null) void startSearch();
    if (!takesFocus()) return;
    const field = input.current;
    field?.focus();
    if (!hasText) field?.select();
    else if (field !== null) {
      field.value = typed.text;
      field.setSelectionRange(typed.text.length, typed.text.length);
    }
  }, [request]);
  return (
    <section
      class="search-view"
      aria-label="Search output"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        if (searchState.peek().kind === "running") cancelSearch();
        else if (document.activeElement === input.current) return;
        else input.current?.focus();
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <SearchForm input={input} onDown={() => list.current?.querySelector<HTMLElement>("[tabindex='0']")?.focus()} />
      <Progress state={searchState.value} />
      <ResultList box={list} />
    </section>
  );
}

/** Progress of the search, its results, and what is missing. */
function Progress({ state }: { state: SearchState }) {
  const { all } = results.value;
  const found = `${counted(all.count, "hit")} in ${counted(all.processes, "process", "processes")}`;
  const missing = state.kind === "done" ? missingParts(state.summary, LIMITS) : [];
  return (
    <div class="search-state">
      <p class={`soft ${state.kind === "failed" ? "bad" : ""}`} role={state.kind === "failed" ? "alert" : "status"}>
        {stateText(state, found)}
      </p>
      {state.kind === "running" && <progress aria-label="Progress of the search" max={state.hosts || 1} value={state.hosts_done} />}
      {missing.length > 0 && (
        <details open={missing.length <= 3}>
          <summary class="warn">Not everything was searched</summary>
          <ul>
            {missing.map((text) => (
              <li key={text}>{text.charAt(0).toUpperCase() + text.slice(1)}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function stateText(state: SearchState, found: string): string {
  switch (state.kind) {
    case "idle":
      return "Searches what hosts have in memory, and log files with the rotated ones.";
    case "running": {
      const hosts = state.hosts > 1 ? `, ${state.hosts_done} of ${state.hosts} hosts done` : "";
      return `${found} · searching, ${bytesText(state.searched)} so far${hosts}`;
    }
    case "done":
      return `${found} · ${bytesText(state.summary.searched)} searched`;
    case "cancelled":
      return `${found} · cancelled`;
    case "failed":
      return state.problem;
  }
}

const counted = (count: number, word: string, words = `${word}s`): string => `${count.toLocaleString("en")} ${count === 1 ? word : words}`;
