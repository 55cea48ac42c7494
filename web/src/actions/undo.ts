import { signal } from "@preact/signals";

/** The newest stop, as long as it can be undone from its toast or the palette. */
export const stopped = signal<{ names: () => readonly string[]; run: () => void; end: () => void } | null>(null);
