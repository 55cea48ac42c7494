import { useRef, useState } from "preact/hooks";

/**
 * Rows that stay where they are: those of `before` in their order with what is known of them now, also those that are gone, then the new ones.
 */
export function heldRows<T>(before: readonly T[], now: readonly T[], keyOf: (row: T) => string): T[] {
  const found = new Map(now.map((row) => [keyOf(row), row]));
  const held = before.map((row) => {
    const key = keyOf(row);
    const newest = found.get(key) ?? row;
    found.delete(key);
    return newest;
  });
  return [...held, ...found.values()];
}

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
