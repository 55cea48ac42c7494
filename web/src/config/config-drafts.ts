import { signal } from "@preact/signals";

/** What somebody has written and not saved, by file: it outlives the view, as long as the page does. */
export interface Draft {
  text: string;
  /** The file as it was when the writing began, and its hash: whether somebody else has saved meanwhile. */
  original: string;
  hash: string;
}

const drafts = new Map<string, Draft>();
/** Files with something unsaved. */
export const unsaved = signal<readonly string[]>([]);

export function draftOf(path: string): Draft | undefined {
  return drafts.get(path);
}

export function keepDraft(path: string, draft: Draft | null): void {
  if (draft) drafts.set(path, draft);
  else drafts.delete(path);
  unsaved.value = [...drafts.keys()];
}

/** The file holds another text now: what is written is over that one, or nothing is left to save. */
export function rebaseDraft(path: string, { content, hash }: { content: string; hash: string }): void {
  const draft = drafts.get(path);
  if (draft) keepDraft(path, draft.text === content ? null : { text: draft.text, original: content, hash });
}

// The browser asks before the page goes, in its own words.
addEventListener("beforeunload", (event) => {
  if (unsaved.value.length > 0) event.preventDefault();
});
