import type { Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Viewport } from "./viewport.ts";

/** What of a table has the focus. */
interface Place {
  /** `data-key` of the row. */
  key: string;
  /** Which of the row's links and buttons; -1: the row itself. */
  part: number;
}

interface Rows {
  /** What scrolls. */
  box: RefObject<HTMLElement | null>;
  viewport: Signal<Viewport>;
  /** A row's height, pixels. */
  height: number;
  /** Place of a row among all, drawn or not; -1: there is none. */
  indexOf: (key: string) => number;
}

const PARTS = "a, button";

/**
 * Keeps the focus in a table of which only the rows in sight are drawn. Rows that are sorted again are moved, or no longer
 * drawn, and then the focus would be the page's, where the next key means something else: it stays with its row, which is
 * scrolled to. Of a row that is gone or was scrolled out of sight it goes to the one that Tab comes to, else to the box.
 * Returns what gives the focus to a row, wherever it is.
 */
export function useRowFocus({ box, viewport, height, indexOf }: Rows): (key: string) => void {
  /** What gets the focus once it is drawn. */
  const wanted = useRef<Place | null>(null);
  const top = useRef(0);
  // Before this drawing.
  const held = placeOf(box.current);
  const give = () => {
    const row = wanted.current && box.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(wanted.current.key)}"]`);
    if (!row || !wanted.current) return;
    const { part } = wanted.current;
    wanted.current = null;
    (part < 0 ? row : row.querySelectorAll<HTMLElement>(PARTS)[part])?.focus({ preventScroll: true });
  };
  const bring = (place: Place): boolean => {
    const index = indexOf(place.key);
    if (index < 0 || !box.current) return false;
    wanted.current = place;
    scrollToRow(box.current, index, height);
    // Not left to the scroll event of the next frame: the row with the focus would be gone before this one is there.
    viewport.value = { ...viewport.peek(), top: box.current.scrollTop };
    give();
    return true;
  };
  useLayoutEffect(() => {
    const isScrolled = top.current !== viewport.peek().top;
    top.current = viewport.peek().top;
    give();
    if (wanted.current && indexOf(wanted.current.key) < 0) wanted.current = null;
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

/** Below the head, which sticks to the top. */
export function scrollToRow(box: HTMLElement, index: number, height: number): void {
  const head = box.querySelector("thead")?.clientHeight ?? height;
  const top = index * height;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + height + head > box.scrollTop + box.clientHeight) box.scrollTop = top + height + head - box.clientHeight;
}
