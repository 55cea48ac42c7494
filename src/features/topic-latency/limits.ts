/** Messages a second of one topic that are measured; of more, every second, third … is. */
export const MAX_MEASURED_PER_SECOND = 10_000;
/** Different chains of one topic that are measured apart; messages of further ones are counted. */
export const MAX_PATHS = 4;
/** Topics of a chain: those of the header, and the measured one. */
export const MAX_CHAIN = 9;
/** Measurements of one host at a time. */
export const MAX_MEASUREMENTS = 8;
/** Threads that a host tells of in one answer, shared by its processes: with 256 CPUs in their affinities they take 300 KB of the 512 KiB of a message. */
export const MAX_THREADS = 256;
export const DEFAULT_SECONDS = 5;
/** Time that clients give the manager for its answer beside the measurement, milliseconds. */
export const ANSWER_MARGIN_MS = 15_000;
