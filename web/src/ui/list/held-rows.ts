import { useRef } from "preact/hooks";
import { usePointerOver } from "../pointer-over.ts";
import { heldRows } from "./held-order.ts";

export interface HeldRows<T> {
  rows: readonly T[];
  /** The pointer is over the rows, or they have the focus: their order is not the newest. */
  isHeld: boolean;
  /** For the element around the rows. */
  hold: ReturnType<typeof usePointerOver>["hold"];
}

/**
 * Holds rows in place while the mouse is over them: what is about to be clicked does not move away. With another `order` (sorting, filter)
 * they stand as they come. `hasFocus`: the keyboard is in one of them, which would lose it by a move.
 */
export function useHeldRows<T>(now: readonly T[], keyOf: (row: T) => string, order: string, hasFocus = false): HeldRows<T> {
  const { isOver, hold } = usePointerOver();
  const isHeld = isOver || hasFocus;
  const last = useRef<{ order: string; rows: readonly T[] }>({ order, rows: now });
  const rows = isHeld && last.current.order === order ? heldRows(last.current.rows, now, keyOf) : now;
  last.current = { order, rows };
  return { rows, isHeld, hold };
}
