import { signal } from "@preact/signals";
import type { LogRow } from "./log-selection.ts";

/** The time that the log is to be scrolled to, as on the wire; an object, so that the same time can be requested again. Null: none. */
export const soughtTime = signal<{ readonly time: string } | null>(null);

/** Index of the row that was the newest one at a time; the first one if all are newer, -1 if there are none. Times of the protocol sort as text. */
export function rowAtTime(rows: readonly LogRow[], time: string): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.entry.ts ?? "") <= time) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1) - (rows.length === 0 ? 1 : 0);
}
