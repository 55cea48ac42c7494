import { useRef, useState } from "preact/hooks";
import { heldRows } from "./held-order.ts";

export interface HeldRows<T> {
  rows: readonly T[];
  /** The pointer is over the rows: their order is not the newest. */
  isHeld: boolean;
  /** For the element around the rows. */
  hold: { onPointerEnter: (event: PointerEvent) => void; onPointerLeave: () => void };
}

/**
 * Holds rows in place while the mouse is over them: what is about to be clicked does not move away. With another `order` (sorting, filter)
 * they stand as they come.
 */
export function useHeldRows<T>(now: readonly T[], keyOf: (row: T) => string, order: string): HeldRows<T> {
  const [isOver, setOver] = useState(false);
  const last = useRef<{ order: string; rows: readonly T[] }>({ order, rows: now });
  const isHeld = isOver && last.current.order === order;
  const rows = isHeld ? heldRows(last.current.rows, now, keyOf) : now;
  last.current = { order, rows };
  return {
    rows,
    isHeld: isOver,
    hold: {
      // A finger holds nothing: it leaves as it is lifted.
      onPointerEnter: ({ pointerType }) => setOver(pointerType === "mouse"),
      onPointerLeave: () => setOver(false),
    },
  };
}
