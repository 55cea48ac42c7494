import { useEffect, useRef, useState } from "preact/hooks";

/** Maximum time between two touches of rows that still count as one, ms. */
const MAX_BETWEEN_TOUCHES_MS = 5_000;

/** Whether the mouse is over an element, or a finger touched it a moment ago; `hold`: the properties of that element. */
export function usePointerOver() {
  const [isOver, setOver] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const end = () => clearTimeout(timer.current);
  useEffect(() => end, []);
  const hold = {
    onPointerEnter: () => {
      end();
      setOver(true);
    },
    // A finger that is lifted leaves the element.
    onPointerLeave: ({ pointerType }: PointerEvent) => {
      if (pointerType === "touch") timer.current = setTimeout(() => setOver(false), MAX_BETWEEN_TOUCHES_MS);
      else setOver(false);
    },
  };
  return { isOver, hold };
}
