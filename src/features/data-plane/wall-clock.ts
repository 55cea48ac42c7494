/** Maximum difference to the system's clock, nanoseconds. Beyond it the clock was adjusted, and the time is read again. */
const MAX_DRIFT_NS = 2_000_000n;
const MS = 1_000_000n;

let anchor = 0n;
let anchoredAt = 0n;

/** Nanoseconds since 1970. `Date.now()` alone has a resolution of a millisecond. */
export function wallClockNs(): bigint {
  const monotonic = process.hrtime.bigint();
  const coarse = BigInt(Date.now()) * MS;
  const exact = anchor + (monotonic - anchoredAt);
  const drift = exact - coarse;
  if (drift >= 0n && drift <= MAX_DRIFT_NS) return exact;
  anchor = coarse;
  anchoredAt = monotonic;
  return coarse;
}
