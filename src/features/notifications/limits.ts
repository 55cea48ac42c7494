/** Maximum number of ways, of rules, and of silences. */
export const MAX_WAYS = 50;
export const MAX_RULES = 100;
export const MAX_SILENCES = 500;
/** Maximum length of a silence, seconds: a year. */
export const MAX_SILENCE_SECONDS = 366 * 86_400;
/** Maximum length of the reason of a silence, characters. */
export const MAX_REASON_CHARS = 500;
/** Maximum number of conditions that one notification lists; the others are counted. */
export const MAX_ITEMS = 20;
/** Maximum length of the text of a condition in a notification, characters. */
export const MAX_TEXT_CHARS = 500;
/** Deliveries that wait, of one way and in all. The oldest is given up for a new one. */
export const MAX_WAITING_OF_WAY = 200;
export const MAX_WAITING = 1_000;
/** Deliveries in the history: those that were sent or given up. */
export const MAX_HISTORY = 300;
/** Present conditions that an answer lists for each rule. */
export const MAX_MATCHES = 200;
