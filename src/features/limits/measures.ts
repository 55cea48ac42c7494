/** The measures that a limit may be on. */
export const MEASURES = ["memory", "cpu", "descriptors", "run_time", "log_growth"] as const;
export type Measure = (typeof MEASURES)[number];

/** The actions when a limit is reached. */
export const LIMIT_ACTIONS = ["notify", "restart", "stop"] as const;

/** Maximum number of limits of one process. */
export const MAX_LIMITS = 16;
