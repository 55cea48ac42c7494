/** Longest expression of `output_matches`, characters. */
export const MAX_PATTERN_CHARS = 1_024;
/** Words of messages about the expressions of alerts. */
export const ALERT_PATTERN = { of: "an alert", instead: "write the alternatives of the text one by one, separated by |" };
