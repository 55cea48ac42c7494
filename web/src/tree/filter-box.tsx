import { type ShownState, wordOf } from "../../../src/client/shown/shown-state.ts";
import { counts } from "../state/store.ts";
import { isNarrow } from "../ui/browser/screen.ts";
import { StateMark } from "../ui/marks/state-mark.tsx";
import { ArrangementChoice } from "./arrangement-choice.tsx";
import { filter, filterTree } from "./tree-filter.ts";
import { focusRow, openBest } from "./tree-navigation.ts";

/** The filter above the tree: a text, and a button for each state that needs attention. */
export function TreeFilter() {
  return (
    <div class="filter">
      <input
        id="filter"
        type="search"
        placeholder="Filter   /"
        aria-label="Filter processes by name, by state as in is:error, or by host as in host:rt1"
        title="All words must match: part of the name, is:error, is:trouble, is:attention, host:rt1, tag:sim"
        value={filter.value}
        onInput={(event) => {
          filter.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") focusRow(0);
          else if (event.key === "Escape") filter.value = "";
          else if (event.key === "Enter") openBest();
          else return;
          event.preventDefault();
        }}
      />
      <StateFilters />
      <ArrangementChoice />
    </div>
  );
}

/** States that need attention: a click shows only their processes, another one shows all. Their buttons are always there: nothing moves. */
const FILTERED: readonly ShownState[] = ["error", "backoff", "waiting"];

function StateFilters() {
  return (
    <div class="state-filters" role="toolbar" aria-label="Show only processes that are">
      {FILTERED.map((state) => {
        const text = `is:${wordOf(state)}`;
        const isOn = filter.value.trim() === text;
        const count = counts.value.get(state) ?? 0;
        return (
          <button
            key={state}
            type="button"
            class={`chip chip-${state} ${count === 0 ? "none" : ""}`}
            aria-pressed={isOn}
            aria-label={`${count} ${wordOf(state)}`}
            title={`${wordOf(state)}: ${isOn ? "show all" : "show only these"}`}
            onClick={() => filterTree(isOn ? "" : text)}
          >
            <StateMark state={state} />
            {count}
            {isNarrow.value && ` ${wordOf(state)}`}
          </button>
        );
      })}
    </div>
  );
}
