import { type ShownState, wordOf } from "../../../src/client/shown/shown-state.ts";
import { clockAt } from "../ui/time.ts";
import type { StateChange } from "./state-history.ts";
import { stretches } from "./timeline.ts";

/** The states of each colour: similar states share one. */
const LEGEND: readonly (readonly [ShownState, ...ShownState[]])[] = [
  ["started", "ready"],
  ["completed"],
  ["waiting", "starting"],
  ["stopping", "backoff"],
  ["error"],
  ["stopped"],
];

/** The states of a process over time as a small strip. `changes`: oldest first. */
export function StateStrip({ changes, ...scale }: { changes: readonly StateChange[]; begin: number; end: number; cells: number }) {
  const found = stretches(changes, scale);
  const words = found.flatMap(({ state }) => (state === null ? [] : [wordOf(state)]));
  return (
    <div class="strip" role="img" aria-label={`States since ${clockAt(scale.begin)}: ${words.join(", ") || "not known"}`}>
      {found.map(({ state, from, to }) => (
        <span
          key={from}
          class={state === null ? "" : `strip-${state}`}
          style={{ flexGrow: to - from }}
          title={state === null ? "not known" : `${wordOf(state)}, ${clockAt(from)} to ${clockAt(to)}`}
        />
      ))}
    </div>
  );
}

/** A legend of the strips' colours. */
export function StripLegend() {
  return (
    <ul class="legend" aria-label="Legend">
      {LEGEND.map(([state, ...alike]) => (
        <li key={state}>
          <span class="strip" aria-hidden="true">
            <span class={`strip-${state}`} />
          </span>
          {[state, ...alike].map(wordOf).join(", ")}
        </li>
      ))}
    </ul>
  );
}
