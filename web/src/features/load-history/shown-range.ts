import { effect, type Signal, signal } from "@preact/signals";
import { putInAddress } from "../../state/address-parameters.ts";
import { current } from "../../state/navigation.ts";
import { keyOf, type ViewOf, viewOfAddress } from "../../state/views.ts";
import { isSame, type Range, rangeOfAddress, rangeParameters, USUAL_RANGE } from "./range.ts";
import { RANGE_PARAMETERS } from "./views.ts";

/** Earlier ranges that can be gone back to, at most. */
const MAX_BACK = 50;

/** The range that a view shows, and those before it. */
export interface ShownRange {
  readonly range: Range;
  readonly back: readonly Range[];
}

/** By the key of a view; kept while it is not shown. */
const ranges = new Map<string, Signal<ShownRange>>();

export function shownRange(view: ViewOf<"history">): Signal<ShownRange> {
  const key = keyOf(view);
  const known = ranges.get(key);
  if (known !== undefined) return known;
  const made = signal<ShownRange>({ range: rangeOf(key) ?? USUAL_RANGE, back: [] });
  ranges.set(key, made);
  return made;
}

/** Shows a range; `isStep`: it follows one that the user goes on from, such as the next of several zooms with a finger. */
export function showRange(shown: Signal<ShownRange>, range: Range, isStep = false): void {
  const { range: before, back } = shown.peek();
  if (isSame(before, range)) return;
  shown.value = { range, back: isStep ? back : [...back, before].slice(-MAX_BACK) };
}

/** Shows the range before the last zoom; false: there is none. */
export function goBack(shown: Signal<ShownRange>): boolean {
  const { back } = shown.peek();
  const range = back.at(-1);
  if (range === undefined) return false;
  shown.value = { range, back: back.slice(0, -1) };
  return true;
}

/** The range in the address, if that is the address of this view. */
function rangeOf(key: string): Range | null {
  const view = viewOfAddress(location);
  return view !== null && keyOf(view) === key ? rangeOfAddress(location.search) : null;
}

addEventListener("popstate", () => {
  const view = viewOfAddress(location);
  const shown = view === null ? undefined : ranges.get(keyOf(view));
  const range = rangeOfAddress(location.search);
  if (shown !== undefined && range !== null) showRange(shown, range);
});

// Keeps the address a link to what is shown.
effect(() => {
  const view = current.value;
  if (view.kind !== "history") return;
  putInAddress(RANGE_PARAMETERS, rangeParameters(shownRange(view).value.range));
});
