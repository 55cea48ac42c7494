import { type ClockOffset, contradicts, driftIn } from "../../../host-clocks/clock-drift.ts";
import type { ClockRecord } from "./clock-records.ts";

/** Puts times of one clock right: to those of the manager. Nanoseconds. */
export interface TimeCorrection {
  /** Difference that is subtracted from a time of the host. A later time stays later. */
  offsetAt(time: bigint): bigint;
}

interface ClockPoint extends ClockOffset {
  /** By the clock of the host. */
  readonly at: bigint;
}

/** A part of a file during which neither the clock of the host nor that of the manager was set. */
export interface Stretch {
  /** Its bytes in the file. */
  readonly from: number;
  readonly until: number;
  /** Null: the file does not say how far the clocks were apart. */
  readonly clock: StretchClock | null;
}

/** Most stretches of a file, each of which is read by itself. What follows is not put right. */
const MAX_STRETCHES = 1_000;

/** The stretches of a file, in its order. */
export function stretchesOf(records: readonly ClockRecord[]): Stretch[] {
  const groups: { from: number; points: ClockPoint[] }[] = [{ from: 0, points: [] }];
  for (const { position, known, step } of records) {
    const last = groups.at(-1)?.points.at(-1);
    const isSet = step !== 0n || (last !== undefined && known !== null && contradicts(last, known, known.at - last.at));
    if (isSet) groups.push({ from: position, points: [] });
    if (groups.length === MAX_STRETCHES) break;
    if (known !== null) groups.at(-1)?.points.push(known);
  }
  return groups.map(({ from, points }, index) => ({
    from,
    until: groups[index + 1]?.from ?? Number.MAX_SAFE_INTEGER,
    clock: points.length === 0 ? null : new StretchClock(points),
  }));
}

/** The offset of a clock over some time: between two measurements it is interpolated, before and after all of them it is the nearest one. */
export class StretchClock implements TimeCorrection {
  readonly #points: readonly ClockPoint[];
  /** Index of the last point that is not later than the time asked for last: times come mostly in order. */
  #last = 0;

  /** At least one point, in the order of time. */
  constructor(points: readonly ClockPoint[]) {
    this.#points = usable(points);
  }

  offsetAt(time: bigint): bigint {
    const points = this.#points;
    while (this.#last > 0 && (points[this.#last]?.at ?? 0n) > time) this.#last--;
    for (let next = points[this.#last + 1]; next !== undefined && next.at <= time; next = points[this.#last + 1]) this.#last++;
    const [before, after] = [points[this.#last], points[this.#last + 1]];
    if (before === undefined) return 0n;
    if (after === undefined || time <= before.at) return before.offset;
    return before.offset + ((after.offset - before.offset) * (time - before.at)) / (after.at - before.at);
  }

  /** The least and the greatest offset that was measured. */
  get range(): { readonly least: bigint; readonly greatest: bigint } {
    const offsets = this.#points.map(({ offset }) => offset);
    return { least: offsets.reduce((a, b) => (b < a ? b : a)), greatest: offsets.reduce((a, b) => (b > a ? b : a)) };
  }

  /** The true offset differs by this much at most at any time between two times of the host. */
  uncertaintyIn(start: bigint, end: bigint): bigint {
    let most = 0n;
    const known = (uncertainty: bigint) => {
      if (uncertainty > most) most = uncertainty;
    };
    for (const [index, point] of this.#points.entries()) {
      const next = this.#points[index + 1];
      if (index === 0 && start < point.at) known(point.uncertainty + driftIn(point.at - start));
      if (next === undefined) known(point.uncertainty + (end > point.at ? driftIn(end - point.at) : 0n));
      // Halfway between two measurements, neither of them says more.
      else if (next.at >= start && point.at <= end)
        known((next.uncertainty > point.uncertainty ? next : point).uncertainty + driftIn(next.at - point.at) / 2n);
    }
    return most;
  }
}

/** The points without those about which a neighbour says more, and without such between which the time would nearly stand still. */
function usable(points: readonly ClockPoint[]): ClockPoint[] {
  const kept: ClockPoint[] = [];
  for (const point of points) {
    let last = kept.at(-1);
    while (last !== undefined && point.uncertainty + driftIn(point.at - last.at) < last.uncertainty) {
      kept.pop();
      last = kept.at(-1);
    }
    if (last !== undefined) {
      const time = point.at - last.at;
      const change = point.offset > last.offset ? point.offset - last.offset : last.offset - point.offset;
      if (last.uncertainty + driftIn(time) < point.uncertainty || time < change * 2n || time <= 0n) continue;
    }
    kept.push(point);
  }
  return kept;
}
