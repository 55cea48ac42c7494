/** Requests of agents that are being answered at the same time, of one user and of all: a tool that starts a process waits for it. */
export const MAX_REQUESTS_OF_USER = 8;
export const MAX_REQUESTS = 64;
/** Questions that wait for a person at the same time, of one user and of all. */
export const MAX_CONFIRMATIONS_OF_USER = 8;
export const MAX_CONFIRMATIONS = 64;
/** Time for which a question waits for a person, milliseconds: with the stop that may follow, HTTP clients that wait 5 minutes get the answer. */
export const CONFIRMATION_TIME_MS = 180_000;
/** Longest name of a tool, characters. */
export const MAX_TOOL_CHARS = 64;
