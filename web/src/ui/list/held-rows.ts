import { useRef } from "preact/hooks";
import { usePointerOver } from "../browser/pointer-over.ts";
import { keepOrder } from "./held-order.ts";

export interface HeldRows<T> {
  rows: readonly T[];
  /** Whether the pointer is over the rows or they have the focus; their order is then not the newest. */
  isHeld: boolean;
  /** Properties of the element around the rows. */
  hold: ReturnType<typeof usePointerOver>["hold"];
}

/**
 * Holds rows in place while the mouse is over them, so that they do not move before a click. If `order` (sorting, filter) changes, they take
 * their newest order. `hasFocus`: whether a row has the focus, which it would lose if it moved.
 */
export function useHeldRows<T>(now: readonly T[], keyOf: (row: T) => string, order: string, hasFocus = false): HeldRows<T> {
  const { isOver, hold } = usePointerOver();
  const isHeld = isOver || hasFocus;
  const last = useRef<{ order: string; rows: readonly T[] }>({ order, rows: now });
  const rows = isHeld && last.current.order === order ? keepOrder(last.current.rows, now, keyOf) : now;
  last.current = { order, rows };
  return { rows, isHeld, hold };
}
