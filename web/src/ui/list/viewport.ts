import { type ReadonlySignal, type Signal, useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";

/** What of a scrolling box is in sight, pixels. */
export interface Viewport {
  top: number;
  height: number;
  width: number;
}

/** The first of `count` rows of one height that is drawn, and the first one after them that is not: `spare` more than are in sight. */
export function drawnRows(
  { top, height }: Viewport,
  rows: { height: number; count: number; spare: number },
): { first: number; last: number } {
  return {
    first: Math.max(0, Math.floor(top / rows.height) - rows.spare),
    last: Math.min(rows.count, Math.ceil((top + height) / rows.height) + rows.spare),
  };
}

/** Follows a scrolling box: only what is in sight is drawn. */
export function useViewport(box: { current: HTMLElement | null }, known?: Signal<Viewport>): ReadonlySignal<Viewport> {
  const own = useSignal<Viewport>({ top: 0, height: 800, width: 800 });
  const viewport = known ?? own;
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () => {
      viewport.value = { top: element.scrollTop, height: element.clientHeight, width: element.clientWidth };
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [box, viewport]);
  return viewport;
}
