export const DEFAULT_LISTED = 100;
/** Most entries of one page. */
export const MAX_LISTED = 1_000;
/** Most patterns of names in one request. */
export const MAX_NAMES = 100;
