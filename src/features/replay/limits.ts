/** Maximum number of patterns, and of new names, of one play. */
export const MAX_PATTERNS = 100;
/** Maximum number of files of one play: each is an open descriptor. */
export const MAX_FILES = 500;
