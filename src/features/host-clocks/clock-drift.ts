/** Maximum drift between two clocks, ns per second: 100 ppm. Crystals differ by up to 50 ppm each, and NTP keeps most clocks below that. */
const DRIFT_NS_PER_S = 100_000n;
const NS_PER_S = 1_000_000_000n;

/** Maximum drift between two clocks within a time; all in nanoseconds. */
export function driftIn(time: bigint): bigint {
  return ((time < 0n ? -time : time) * DRIFT_NS_PER_S) / NS_PER_S;
}

/** Offset of a clock from another one, in nanoseconds. */
export interface ClockOffset {
  /** This clock minus the other one. */
  readonly offset: bigint;
  /** The true offset differs by this much at most. */
  readonly uncertainty: bigint;
}

/** Whether two statements about the same clocks cannot both be true, when at most `time` nanoseconds lie between them: one of the clocks was set. */
export function contradicts(one: ClockOffset, other: ClockOffset, time = 0n): boolean {
  const apart = one.offset > other.offset ? one.offset - other.offset : other.offset - one.offset;
  return apart > one.uncertainty + other.uncertainty + driftIn(time);
}
