import { SHOWN_STATES, type ShownState } from "../../../src/client/shown/shown-state.ts";
import type { StateChange } from "./state-history.ts";

/** A span of time in one state, ms since 1970; `state` is null while it is not known. */
export interface Stretch {
  readonly state: ShownState | null;
  readonly from: number;
  readonly to: number;
}

/** The time of a change, ms since 1970. */
const timeOf = ({ time }: StateChange) => Date.parse(`${time}Z`);

/**
 * The states between two times, for a strip of cells: each cell has the worst state of its time, so that even a short failure is visible.
 * Equal neighbours form one stretch. `changes`: oldest first.
 */
export function stretches(
  changes: readonly StateChange[],
  { begin, end, cells }: { begin: number; end: number; cells: number },
): Stretch[] {
  const worst = new Array<ShownState | null>(cells).fill(null);
  const width = Math.max(1, end - begin) / cells;
  const cellOf = (time: number) => Math.min(cells - 1, Math.max(0, Math.floor((time - begin) / width)));
  changes.forEach((change, index) => {
    const next = changes[index + 1];
    const until = next ? timeOf(next) : end;
    if (until < begin || timeOf(change) > end) return;
    for (let cell = cellOf(timeOf(change)); cell <= cellOf(until); cell++) worst[cell] = worse(worst[cell] ?? null, change.to);
  });
  const found: Stretch[] = [];
  worst.forEach((state, cell) => {
    const [from, to] = [begin + cell * width, begin + (cell + 1) * width];
    const last = found.at(-1);
    if (last?.state === state) found[found.length - 1] = { ...last, to };
    else found.push({ state, from, to });
  });
  return found;
}

function worse(a: ShownState | null, b: ShownState): ShownState {
  return a !== null && SHOWN_STATES.indexOf(a) <= SHOWN_STATES.indexOf(b) ? a : b;
}
