/** Number of lines before and after a hit. */
export const MAX_CONTEXT = 10;
export const DEFAULT_SEARCH_HITS = 1_000;
export const MAX_SEARCH_HITS = 10_000;
/** Limits at which a search ends early: the number of hits, their size in all, and processor time on a host. */
export const SEARCH_STOPS = ["hits", "size", "cpu_time"] as const;
export type SearchStop = (typeof SEARCH_STOPS)[number];
