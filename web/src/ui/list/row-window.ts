import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useRowFocus } from "./row-focus.ts";
import { drawnRows, useViewport, type Viewport } from "./viewport.ts";

/** Rows that are drawn out of view, on each side. */
const SPARE = 12;

interface Options<Row> {
  /** The scrolling element. */
  readonly box: RefObject<HTMLElement | null>;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** A row's height in the style sheet, px. */
  readonly height: number;
  /** Key of the row that Tab moves to at first; null: the first visible one. */
  readonly selected?: string | null;
}

interface RowWindow<Row> {
  /** Indexes of the first drawn row, and of the first one behind those that are drawn. */
  readonly first: number;
  readonly last: number;
  readonly drawn: readonly Row[];
  /** Key of the row that Tab moves to. */
  readonly tabStop: string | undefined;
  /** Called when a row has got the focus. */
  onFocus(key: string): void;
  /** Focuses the row of an index, or the nearest one. */
  go(index: number): void;
  /** Index of the row that a key of the keyboard moves to from the row with the focus; null: the key does not move. */
  target(key: string): number | null;
  /** Index of the row with the focus; -1: none. */
  focusedIndex(): number;
}

/** A list of thousands of rows of equal height, of which only the visible ones are drawn. One row at a time is in the order of Tab (WAI-ARIA). */
export function useRowWindow<Row>({ box, rows, keyOf, height, selected = null }: Options<Row>): RowWindow<Row> {
  const viewport = useSignal<Viewport>({ top: 0, height: 900, width: 900 });
  useViewport(box, viewport);
  const focused = useSignal<string | null>(selected);
  const { first, last } = drawnRows(viewport.value, { height, count: rows.length, spare: SPARE });
  const drawn = rows.slice(first, last);
  const isDrawn = drawn.some((row) => keyOf(row) === focused.value);
  const firstVisible = drawn[Math.min(SPARE, first)] ?? drawn[0];
  const indexOf = (key: string | null) => rows.findIndex((row) => keyOf(row) === key);
  const giveFocus = useRowFocus({ box, viewport, height, indexOf });
  const focusedIndex = () => indexOf(focused.value);
  return {
    first,
    last,
    drawn,
    tabStop: (isDrawn ? focused.value : null) ?? (firstVisible && keyOf(firstVisible)),
    onFocus(key) {
      focused.value = key;
    },
    go(index) {
      const row = rows[Math.max(0, Math.min(index, rows.length - 1))];
      if (row === undefined) return;
      focused.value = keyOf(row);
      giveFocus(keyOf(row));
    },
    target(key) {
      const index = focusedIndex();
      const page = Math.max(1, Math.floor(viewport.value.height / height) - 2);
      const steps: Readonly<Record<string, number>> = {
        ArrowDown: index + 1,
        ArrowUp: index - 1,
        PageDown: index + page,
        PageUp: index - page,
        Home: 0,
        End: rows.length - 1,
      };
      return (Object.hasOwn(steps, key) ? steps[key] : undefined) ?? null;
    },
    focusedIndex,
  };
}
