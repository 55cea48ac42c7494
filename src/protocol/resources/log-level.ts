/** Levels of log entries, lowest first. Free of zod, so that the page can import it at no cost. */
export const LOG_LEVELS = ["debug", "info", "warning", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
