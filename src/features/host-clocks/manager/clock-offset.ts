/** Offset of a host's clock from that of the manager. Times are nanoseconds; of the manager unless another clock is named. */

import { type ClockOffset, contradicts, driftIn } from "../clock-drift.ts";

/** Measurements that are kept: at 30 a minute, those of the last 2 minutes. */
const MAX_MEASUREMENTS = 64;

export interface ClockMeasurement {
  /** When the request was sent, and when its answer arrived. */
  readonly sent: bigint;
  readonly received: bigint;
  /** Time by the host's clock, read between the two. */
  readonly host: bigint;
}

/**
 * The offset that one measurement shows: the host read its clock at some moment between request and answer, so the middle is wrong by half of the
 * round trip at most, whatever the delays of the two ways.
 */
function measuredOffset({ sent, received, host }: ClockMeasurement): ClockOffset {
  return { offset: host - (sent + received) / 2n, uncertainty: (received - sent) / 2n + 1n };
}

/**
 * The best of some measurements for a moment: a short round trip is exact, a measurement long before or after the moment less so, because the clocks
 * drift. Null: there is no measurement.
 */
export function offsetAt(measurements: readonly ClockMeasurement[], time: bigint): ClockOffset | null {
  let best: ClockOffset | null = null;
  for (const measurement of measurements) {
    const { offset, uncertainty } = measuredOffset(measurement);
    const total = uncertainty + driftBetween(measurement, time);
    if (best === null || total < best.uncertainty) best = { offset, uncertainty: total };
  }
  return best;
}

/** The measurements with another one, which is the newest. Those that contradict it are dropped: one of the clocks was set in between. */
export function withMeasurement(known: readonly ClockMeasurement[], added: ClockMeasurement): ClockMeasurement[] {
  const now = measuredOffset(added);
  const before = offsetAt(known, added.received);
  const isSet = before !== null && contradicts(before, now);
  return [...(isSet ? [] : known), added].slice(-MAX_MEASUREMENTS);
}

/** The host may have read its clock at either end of the round trip: the farther one counts. */
function driftBetween({ sent, received }: ClockMeasurement, time: bigint): bigint {
  const away = time - sent > received - time ? time - sent : received - time;
  return driftIn(away);
}
