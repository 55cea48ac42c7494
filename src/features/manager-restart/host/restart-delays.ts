/** Delays before a manager is started again, by the number of ends in a row, milliseconds; the last one stays. */
const DELAYS_MS = [200, 1_000, 2_000, 5_000, 10_000, 30_000] as const;
/** Lifetime after which the end of a manager counts as the first one again, milliseconds. */
export const STABLE_MS = 120_000;

export function delayOf(failures: number): number {
  return DELAYS_MS[Math.min(failures, DELAYS_MS.length - 1)] ?? 0;
}

export function isStable(lifetimeMs: number): boolean {
  return lifetimeMs >= STABLE_MS;
}
