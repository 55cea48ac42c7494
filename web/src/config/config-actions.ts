import { signal } from "@preact/signals";

/** Actions of the configuration's view, for the palette; null while it is not shown. */
export const configActions = signal<{ save: () => void; compare: () => void; reload: () => void; versions: () => void } | null>(null);
