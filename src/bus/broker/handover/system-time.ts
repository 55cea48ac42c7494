/**
 * A time of this process's monotonic clock (`performance.now`, milliseconds) by the clock of the system, which a program that replaces this
 * one reads, too; and back.
 */
export const systemTime = (own: number): number => own + OFFSET_MS;
export const ownTime = (system: number): number => system - OFFSET_MS;

/** Both are the same clock, from different origins. */
const OFFSET_MS = Number(process.hrtime.bigint()) / 1e6 - performance.now();
