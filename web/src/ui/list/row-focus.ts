import type { Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Viewport } from "./viewport.ts";

/** The part of a table that has the focus. */
interface Place {
  /** `data-key` of the row. */
  key: string;
  /** Index of the link or button in the row; -1: the row itself. */
  part: number;
}

interface Rows {
  /** The scrolling element. */
  box: RefObject<HTMLElement | null>;
  viewport: Signal<Viewport>;
  /** A row's height, pixels. */
  height: number;
  /** Index of a row among all rows, drawn or not; -1: there is none. */
  indexOf: (key: string) => number;
}

const PARTS = "a, button";

/**
 * Keeps the focus in a table of which only the visible rows are drawn. After sorting, rows are moved or no longer drawn, and the focus would go
 * to the page, where the next key has another meaning. So the focus stays with its row, which is scrolled to. If the row is gone, or was scrolled
 * out of view, the row that Tab moves to gets the focus, else the box. Returns a function that focuses a row, wherever it is.
 */
export function useRowFocus({ box, viewport, height, indexOf }: Rows): (key: string) => void {
  /** The place that gets the focus once it is drawn. */
  const pending = useRef<Place | null>(null);
  const top = useRef(0);
  // The focused place before this drawing.
  const held = placeOf(box.current);
  const give = () => {
    const row = pending.current && box.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(pending.current.key)}"]`);
    if (!row || !pending.current) return;
    const { part } = pending.current;
    pending.current = null;
    (part < 0 ? row : row.querySelectorAll<HTMLElement>(PARTS)[part])?.focus({ preventScroll: true });
  };
  const bring = (place: Place): boolean => {
    const index = indexOf(place.key);
    if (index < 0 || !box.current) return false;
    pending.current = place;
    scrollToRow(box.current, index, height);
    // Set now, not by the scroll event in the next frame: the focused row would be gone before the new one is drawn.
    viewport.value = { ...viewport.peek(), top: box.current.scrollTop };
    give();
    return true;
  };
  useLayoutEffect(() => {
    const isScrolled = top.current !== viewport.peek().top;
    top.current = viewport.peek().top;
    give();
    if (pending.current && indexOf(pending.current.key) < 0) pending.current = null;
    if (held === null || document.activeElement !== document.body) return;
    if (!isScrolled && bring(held)) return;
    const next = box.current?.querySelector<HTMLElement>("tr[tabindex='0']") ?? box.current;
    next?.focus({ preventScroll: true });
  });
  return (key) => void bring({ key, part: -1 });
}

function placeOf(box: HTMLElement | null): Place | null {
  const focused = document.activeElement;
  const row = box?.contains(focused) ? focused?.closest<HTMLElement>("[data-key]") : null;
  if (!focused || !row?.dataset.key) return null;
  return { key: row.dataset.key, part: [...row.querySelectorAll(PARTS)].indexOf(focused) };
}

/** Scrolls a row into view, below the head, which sticks to the top. */
export function scrollToRow(box: HTMLElement, index: number, height: number): void {
  const head = box.querySelector("thead")?.clientHeight ?? height;
  const top = index * height;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + height + head > box.scrollTop + box.clientHeight) box.scrollTop = top + height + head - box.clientHeight;
}
