import { type Span, spanAtWheel } from "../../../ui/plot/finger-span.ts";
import { roundStep } from "../../../ui/round-step.ts";
import { clockSeconds } from "../../../ui/time.ts";

/** Shortest span that can be shown, seconds. */
const MIN_SPAN_S = 0.01;
/** Distance that an arrow key moves the cursor, as a fraction of what is shown; and with Shift, or a page key. */
const STEP = 0.005;
const BIG_STEP = 0.05;
/** Turn of the wheel that doubles what is shown, px. */
const ZOOM_PIXELS = 400;

/** The place of a time within what is shown, percent. */
export const placeOf = (time: number, { from, until }: Span): number => (100 * (time - from)) / (until - from);

/** The time, inside a span. */
export const inside = (time: number, { from, until }: Span): number => Math.min(until, Math.max(from, time));

/** The part of a span that is within the whole one; the whole one if they have nothing in common. */
export function within({ from, until }: Span, whole: Span): Span {
  return until <= whole.from || from >= whole.until ? whole : { from: inside(from, whole), until: inside(until, whole) };
}

/** What is shown after zooming by a factor (above 1: closer) around a time. */
export function zoomed(shown: Span, { factor, around }: { factor: number; around: number }, whole: Span): Span {
  const length = shown.until - shown.from;
  const closest = Math.min(MIN_SPAN_S, whole.until - whole.from);
  const by = -ZOOM_PIXELS * Math.log2(Math.min(factor, length / closest));
  return spanAtWheel(shown, { by, isMove: false, place: placeOf(inside(around, shown), shown) / 100 }, whole);
}

/** What is shown, moved as little as needed to contain a time. */
export function withTime(shown: Span, time: number): Span {
  const move = time < shown.from ? time - shown.from : time > shown.until ? time - shown.until : 0;
  return move === 0 ? shown : { from: shown.from + move, until: shown.until + move };
}

/** The time that a key moves the cursor to; null: the key has no meaning. */
export function timeAfterKey(
  { key, shiftKey }: { readonly key: string; readonly shiftKey: boolean },
  { time, shown, whole, cause }: { time: number; shown: Span; whole: Span; cause: number },
): number | null {
  const step = (shown.until - shown.from) * (shiftKey ? BIG_STEP : STEP);
  const page = (shown.until - shown.from) * BIG_STEP;
  const to = new Map([
    ["ArrowLeft", time - step],
    ["ArrowDown", time - step],
    ["ArrowRight", time + step],
    ["ArrowUp", time + step],
    ["PageDown", time - page],
    ["PageUp", time + page],
    ["Home", whole.from],
    ["End", whole.until],
    ["Enter", cause],
  ]).get(key);
  return to === undefined ? null : inside(to, whole);
}

export interface Tick {
  /** Percent of the width. */
  readonly place: number;
  readonly text: string;
}

/** Round times within what is shown, at most `most`. */
export function ticksOf(shown: Span, most: number): Tick[] {
  const step = roundStep((1_000 * (shown.until - shown.from)) / Math.max(1, most)) / 1_000;
  const digits = step >= 1 ? 0 : Math.ceil(-Math.log10(step));
  const first = Math.ceil(shown.from / step);
  const count = Math.max(0, Math.floor(shown.until / step) - first + 1);
  return Array.from({ length: count }, (_, index) => {
    const time = (first + index) * step;
    return { place: placeOf(time, shown), text: clockSeconds(time, digits) };
  });
}
