import { type ReadonlySignal, type Signal, useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";

/** The visible part of a scrolling box, px. */
export interface Viewport {
  top: number;
  height: number;
  width: number;
}

/** The index of the first drawn one of `count` rows of equal height, and of the first row after the drawn ones; `spare`: rows out of view. */
export function drawnRows(
  { top, height }: Viewport,
  rows: { height: number; count: number; spare: number },
): { first: number; last: number } {
  return {
    first: Math.max(0, Math.floor(top / rows.height) - rows.spare),
    last: Math.min(rows.count, Math.ceil((top + height) / rows.height) + rows.spare),
  };
}

/**
 * Follows the visible part of a scrolling box. `isFramed`: it is measured in the frame that draws the box for the first time, before that is painted.
 * Measured at once, the browser has to lay out the page in the task that has made the box.
 */
export function useViewport(box: { current: HTMLElement | null }, known?: Signal<Viewport>, isFramed = false): ReadonlySignal<Viewport> {
  const own = useSignal<Viewport>({ top: 0, height: 800, width: 800 });
  const viewport = known ?? own;
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => {
      viewport.value = { top: element.scrollTop, height: element.clientHeight, width: element.clientWidth };
    };
    if (!isFramed) measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, [box, viewport, isFramed]);
  return viewport;
}
