/** Maximum number of access tokens of one auth file. */
export const MAX_TOKENS = 256;
/** Patterns of one token, and characters of each. */
export const MAX_PATTERNS = 16;
export const MAX_PATTERN_CHARS = 255;
/** Names of tokens: they are part of names of users, in the log and on command lines. */
export const TOKEN_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;
/** Lifetimes, seconds. */
export const MIN_LIFETIME_S = 60;
export const MAX_LIFETIME_S = 366 * 86_400;
export const DEFAULT_LIFETIME_S = 30 * 86_400;
