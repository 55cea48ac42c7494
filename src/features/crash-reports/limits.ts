/** Reports that are kept of each process. */
export const MAX_REPORTS = 20;
/** Reports of one answer, at most and by default. */
export const MAX_LISTED = 1_000;
export const DEFAULT_LISTED = 100;
/** Output that a report has, bytes: the newest before the end. */
export const MAX_OUTPUT_BYTES = 64 * 1024;
/** Time before the end of which a report has the load, milliseconds. */
export const LOAD_MS = 600_000;
/** Interval in which a process gets one report at most, milliseconds. */
export const REPORT_EVERY_MS = 10_000;
/** Names of one request. */
export const MAX_NAMES = 1_000;
