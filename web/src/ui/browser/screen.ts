import { type Signal, signal } from "@preact/signals";

/** Follows a media query. */
export function matchesMedia(query: string): Signal<boolean> {
  const list = matchMedia(query);
  const matches = signal(list.matches);
  list.addEventListener("change", () => {
    matches.value = list.matches;
  });
  return matches;
}

/** Whether there is room for one thing at a time: a narrow window, or a phone in landscape. The style sheet has the same limits. */
export const isNarrow = matchesMedia("(max-width: 720px), (max-height: 480px) and (pointer: coarse)");
/** Whether this is a phone or tablet: its keyboard lacks keys that terminals need. */
export const hasTouchKeys = matchesMedia("(max-width: 720px), (pointer: coarse)");
