import { SHOWN_STATES, type ShownState, wordOf } from "../../../src/client/shown/shown-state.ts";
import { counts } from "../state/store.ts";
import { filterTree } from "../tree/tree-filter.ts";
import { StateMark } from "../ui/marks/state-mark.tsx";
import { TROUBLE } from "./causes.ts";

const WORST_FIRST: readonly ShownState[] = [...TROUBLE, ...SHOWN_STATES.filter((state) => !TROUBLE.includes(state))];

/** Number of processes in each state. All states are always shown, so that nothing moves. */
export function StateCounts() {
  return (
    <ul class="counts" aria-label="Processes by state">
      {WORST_FIRST.map((state) => (
        <li key={state}>
          <button
            type="button"
            class={`count-tile ${counts.value.has(state) ? "" : "none"}`}
            title={`Show these in the tree (is:${wordOf(state)})`}
            onClick={() => filterTree(`is:${wordOf(state)}`)}
          >
            <span class="count-number">
              <b>{counts.value.get(state) ?? 0}</b>
              <StateMark state={state} />
            </span>
            <span class="count-word">{wordOf(state)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
