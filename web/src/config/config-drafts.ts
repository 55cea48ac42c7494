import { signal } from "@preact/signals";

/** Unsaved text of the user, by file: it outlives the view, until the page is closed. */
export interface Draft {
  text: string;
  /** The file as it was when the edit began, and its hash: tells whether another user has saved meanwhile. */
  original: string;
  hash: string;
}

const drafts = new Map<string, Draft>();
/** Files with unsaved changes. */
export const unsaved = signal<readonly string[]>([]);

export function draftOf(path: string): Draft | undefined {
  return drafts.get(path);
}

export function keepDraft(path: string, draft: Draft | null): void {
  if (draft) drafts.set(path, draft);
  else drafts.delete(path);
  unsaved.value = [...drafts.keys()];
}

/** The file has another text now: the draft is based on that one, or nothing is left to save. */
export function rebaseDraft(path: string, { content, hash }: { content: string; hash: string }): void {
  const draft = drafts.get(path);
  if (draft) keepDraft(path, draft.text === content ? null : { text: draft.text, original: content, hash });
}

// The browser asks before the page is closed, with its own message.
addEventListener("beforeunload", (event) => {
  if (unsaved.value.length > 0) event.preventDefault();
});
