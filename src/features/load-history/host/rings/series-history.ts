import { type Figures, SAMPLE_MS, WATCHED_SAMPLE_MS } from "../../series.ts";
import { shortSlotsOf } from "./file-image.ts";
import { LONG, PERIODS_MS, SHORT, slotNumber } from "./layout.ts";
import { SecondRing } from "./second-ring.ts";
import type { SlotStore } from "./slot-store.ts";
import { SlotSummary } from "./slot-summary.ts";

/** Seconds that are kept of a watched process; fewer on a host that keeps everything in memory. */
const SECONDS = 600;
const SECONDS_IN_MEMORY = 300;
/** A sample that ends so shortly before its slot does completes it, milliseconds. */
const TOLERANCE_MS = 500;
/** A sample over more than this many of its intervals says nothing about any of them: the machine slept. */
const MAX_INTERVALS = 3;

/** A part of the wall clock, milliseconds since 1970. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** The history of one process or of the machine: samples become slots. */
export class SeriesHistory {
  readonly store: SlotStore;
  readonly #isInMemory: boolean;
  #seconds: SecondRing | null = null;
  #short: SlotSummary | null = null;
  /** The slots have something that was not put into the store. */
  #isShortChanged = false;
  #isLongChanged = false;
  #long: SlotSummary | null = null;
  /** End of the newest sample. */
  #newest = 0;
  /** The newest figures, and when they were measured, milliseconds since 1970. */
  #latest: { time: number; figures: Figures } | null = null;

  constructor(store: SlotStore, isInMemory: boolean) {
    this.store = store;
    this.#isInMemory = isInMemory;
  }

  get latest(): { time: number; figures: Figures } | null {
    return this.#latest;
  }

  get seconds(): SecondRing | null {
    return this.#seconds;
  }

  /** The long slot that is not complete yet. */
  get current(): SlotSummary | null {
    return this.#long;
  }

  /** Keeps a sample for each second, from now on or no longer. */
  watch(isWatched: boolean): void {
    if (!isWatched) this.#seconds = null;
    else this.#seconds ??= new SecondRing(this.store.series, this.#isInMemory ? SECONDS_IN_MEMORY : SECONDS);
  }

  /** Adds what was measured over an interval. */
  add(figures: Figures, { from, to }: Interval): void {
    if (to < this.#newest) this.#rewind(to);
    this.#newest = to;
    this.#latest = { time: to, figures };
    const begin = from < to ? from : to - WATCHED_SAMPLE_MS;
    if (to - begin > MAX_INTERVALS * SAMPLE_MS) return;
    if (to - begin <= MAX_INTERVALS * WATCHED_SAMPLE_MS)
      for (const number of slotsOf({ from: begin, to }, WATCHED_SAMPLE_MS)) this.#seconds?.put(number, figures);
    for (const number of slotsOf({ from: begin, to }, PERIODS_MS[SHORT])) {
      if (this.#short?.number !== number) this.#endShort(number);
      this.#short?.add(figures, Math.min(to - begin, PERIODS_MS[SHORT]));
      this.#isShortChanged = true;
      if (to >= (number + 1) * PERIODS_MS[SHORT] - TOLERANCE_MS) this.#saveShort();
    }
  }

  /** Completes what has begun: the process has ended, or the host ends. */
  finish(): void {
    this.#endShort(null);
    this.#saveLong();
    this.#long = null;
  }

  /** The wall clock was set back: what is after `time` was measured before. */
  #rewind(time: number): void {
    this.#seconds?.rewind(time);
    const short = slotNumber(time, PERIODS_MS[SHORT]);
    const long = slotNumber(time, PERIODS_MS[LONG]);
    if (this.#short !== null && this.#short.number > short) this.#short = null;
    if (this.#long !== null && this.#long.number > long) this.#long = null;
    this.store.discardAfter(SHORT, short);
    this.store.discardAfter(LONG, long);
  }

  #saveShort(): void {
    if (this.#short === null || !this.#isShortChanged) return;
    this.#isShortChanged = false;
    this.store.put(SHORT, this.#short.number, this.#short.figures());
  }

  /** `next`: number of the slot that begins. */
  #endShort(next: number | null): void {
    this.#saveShort();
    const ended = this.#short;
    if (ended !== null) this.#addToLong(ended);
    if (next === null) this.#short = null;
    else if (ended === null) this.#short = new SlotSummary(this.store.series, next);
    else ended.restart(next);
  }

  #addToLong(ended: SlotSummary): void {
    const long = Math.floor((ended.number * PERIODS_MS[SHORT]) / PERIODS_MS[LONG]);
    if (this.#long?.number !== long) {
      this.#saveLong();
      this.#long = new SlotSummary(this.store.series, long);
    }
    this.#long?.addSlot(ended.figures(), PERIODS_MS[SHORT]);
    this.#isLongChanged = true;
    if (ended.number + 1 === shortSlotsOf(long).until) this.#saveLong();
  }

  #saveLong(): void {
    if (this.#long === null || !this.#isLongChanged) return;
    this.#isLongChanged = false;
    this.store.put(LONG, this.#long.number, this.#long.figures());
  }
}

/** Slots that a sample stands for: those whose middle it covers, or else the one in which its own middle is. */
function slotsOf({ from, to }: Interval, periodMs: number): number[] {
  const first = Math.floor(from / periodMs - 0.5) + 1;
  const last = Math.floor(to / periodMs - 0.5);
  if (to - from < periodMs || last < first) return [slotNumber((from + to) / 2, periodMs)];
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
