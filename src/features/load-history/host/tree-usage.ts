/** A counter of a process: what it has used itself, and what it took over from children that it has waited for. */
export interface Counter {
  readonly own: number;
  readonly waited: number;
}

/** A process of a tree, as it was read at one moment. */
export interface ProcessReading<C extends string = string> {
  readonly pid: number;
  /** Clock ticks from boot to its start; with the pid it identifies a process. */
  readonly startTime: string;
  readonly ppid: number;
  /** When it was read, milliseconds of a monotonic clock. */
  readonly at: number;
  /** Null: not readable. */
  readonly counters: Readonly<Record<C, Counter | null>>;
}

/** Usage within a time, per second; null: not known. */
export type Rates<C extends string> = Record<C, number | null>;

/** When a tree was looked at: milliseconds of a monotonic clock, and clock ticks from boot. */
export interface Moment {
  readonly at: number;
  readonly ticks: number;
}

/**
 * Rates of the tree of one process, from the counters of its processes at two moments. A process that ends takes its counters along or
 * leaves them to its parent, so the sum of all counters may fall, or count twice; here no rate is negative and nothing counts twice.
 */
export class TreeUsage<C extends string> {
  #known = new Map<number, ProcessReading<C>>();
  #before: Moment | null = null;

  /** `since`: an earlier moment at which nothing of this tree was there; null: not known. */
  measure(readings: readonly ProcessReading<C>[], now: Moment, names: readonly C[], since: Moment | null): Rates<C> {
    const before = this.#before ?? since;
    const known = this.#known;
    const living = new Map(readings.map((reading) => [reading.pid, reading]));
    this.#known = living;
    this.#before = now;
    const rates = {} as Rates<C>;
    const ended = [...known.values()].filter((reading) => !lives(reading, living));
    for (const name of names) rates[name] = before === null ? null : rateOf(name, readings, { known, living, ended }, before);
    return rates;
  }
}

type Readings<C extends string> = ReadonlyMap<number, ProcessReading<C>>;

interface Compared<C extends string> {
  /** The readings of the moment before, by pid. */
  readonly known: Readings<C>;
  /** Those of now. */
  readonly living: Readings<C>;
  /** Those of the moment before whose processes have ended. */
  readonly ended: readonly ProcessReading<C>[];
}

function rateOf<C extends string>(name: C, readings: readonly ProcessReading<C>[], compared: Compared<C>, before: Moment): number | null {
  const { known } = compared;
  const left = leftToParents(name, compared);
  let rate: number | null = null;
  for (const reading of readings) {
    const counter = reading.counters[name];
    if (counter === null) continue;
    const earlier = sameProcess(known.get(reading.pid), reading);
    const isNew = earlier === null && Number(reading.startTime) >= before.ticks - 1;
    const base = earlier?.counters[name] ?? (isNew ? { own: 0, waited: 0 } : null);
    if (base === null) continue;
    const seconds = (reading.at - (earlier?.at ?? before.at)) / 1_000;
    if (seconds <= 0) continue;
    const own = Math.max(0, counter.own - base.own);
    const waited = withoutCounted(Math.max(0, counter.waited - base.waited), left.get(reading.pid) ?? []);
    rate = (rate ?? 0) + (own + waited) / seconds;
  }
  return rate;
}

/** Earlier counts of processes that have ended, by the nearest living ancestor: it may have inherited them. */
function leftToParents<C extends string>(name: C, { known, living, ended }: Compared<C>): Map<number, number[]> {
  const left = new Map<number, number[]>();
  for (const { counters, ppid } of ended) {
    const counter = counters[name];
    if (counter === null) continue;
    let parent = known.get(ppid);
    for (let steps = 0; parent !== undefined && !lives(parent, living) && steps < known.size; steps++) parent = known.get(parent.ppid);
    if (parent !== undefined) left.set(parent.pid, [...(left.get(parent.pid) ?? []), counter.own + counter.waited]);
  }
  return left;
}

/** Inherited counts minus the earlier counts. A parent that ignores its children inherits nothing. */
function withoutCounted(taken: number, counted: readonly number[]): number {
  let rest = taken;
  for (const each of counted) if (each <= rest) rest -= each;
  return rest;
}

const lives = <C extends string>(reading: ProcessReading<C>, living: Readings<C>): boolean =>
  sameProcess(living.get(reading.pid), reading) !== null;

function sameProcess<R extends { startTime: string }>(reading: R | undefined, other: { startTime: string }): R | null {
  return reading?.startTime === other.startTime ? reading : null;
}
