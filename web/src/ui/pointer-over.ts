import { useState } from "preact/hooks";

/** Whether the mouse is over an element; `hold` is for that element. A finger holds nothing: it leaves as it is lifted. */
export function usePointerOver() {
  const [isOver, setOver] = useState(false);
  const hold = {
    onPointerEnter: ({ pointerType }: PointerEvent) => setOver(pointerType === "mouse"),
    onPointerLeave: () => setOver(false),
  };
  return { isOver, hold };
}
