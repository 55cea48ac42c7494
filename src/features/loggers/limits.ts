// Limits of a logger's topic, apart from the schemas: the command line reads them at each start.

/** Maximum number of samples that a logger keeps of one topic. */
export const MAX_LOG_SIZE = 100_000_000;
/** Maximum divisor: every n-th sample is kept. */
export const MAX_DIVISOR = 1_000_000;
