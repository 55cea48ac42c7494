import { signal } from "@preact/signals";

/** The newest stop, while it can be undone from its toast or the palette. */
export const stopped = signal<{ names: () => readonly string[]; run: () => void; end: () => void } | null>(null);
