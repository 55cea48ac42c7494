import { signal } from "@preact/signals";

/** The unsaved text of a file. It is kept when its view closes, until the page is closed. */
export interface Draft {
  text: string;
  /** The file when the edit began, and its hash: they show whether another user has saved it meanwhile. */
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

/** Bases the draft on the file's new text; drops the draft if nothing is left to save. */
export function rebaseDraft(path: string, { content, hash }: { content: string; hash: string }): void {
  const draft = drafts.get(path);
  if (draft) keepDraft(path, draft.text === content ? null : { text: draft.text, original: content, hash });
}

// The browser asks before the page is closed, with its own message.
addEventListener("beforeunload", (event) => {
  if (unsaved.value.length > 0) event.preventDefault();
});
