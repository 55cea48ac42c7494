/** Most incidents in an answer, and without a limit in the request. */
export const MAX_LISTED = 500;
export const DEFAULT_LISTED = 100;
/** Longest note of a user, characters. */
export const MAX_NOTE_CHARS = 1_024;
/** Most output of a process in an answer, bytes; the last ones. */
export const MAX_OUTPUT_BYTES = 64 * 1024;
