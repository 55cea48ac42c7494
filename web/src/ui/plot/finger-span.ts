export interface Span {
  readonly from: number;
  readonly until: number;
}

/** Minimum distance of two fingers, as a fraction of the width. */
const MIN_DISTANCE = 0.02;

/**
 * The part of `whole` that is shown after fingers have moved: the points under the first two fingers stay under them. Positions are fractions
 * of the width: `before` while `span` was shown, `now` the current ones of the same fingers.
 */
export function spanUnderFingers(span: Span, before: readonly number[], now: readonly number[], whole: Span): Span {
  const [first = 0, second] = before;
  const [place = first, other] = now;
  const width = span.until - span.from;
  const scale = second === undefined || other === undefined ? 1 : apart(first, second) / apart(place, other);
  const length = Math.min(width * scale, whole.until - whole.from);
  const from = span.from + first * width - place * length;
  const inside = Math.min(Math.max(from, whole.from), whole.until - length);
  return { from: inside, until: inside + length };
}

const apart = (one: number, other: number) => Math.max(MIN_DISTANCE, Math.abs(other - one));

/** Distance that the wheel turns to double or halve the visible span, or to move it by its whole length, px. */
const WHEEL_PIXELS = 400;

/** The part of `whole` that is shown after the wheel has turned `by` pixels: zoomed around `place`, a fraction of the width, or moved. */
export function spanAtWheel(span: Span, { by, isMove, place }: { by: number; isMove: boolean; place: number }, whole: Span): Span {
  const width = span.until - span.from;
  const length = Math.min(isMove ? width : width * 2 ** (by / WHEEL_PIXELS), whole.until - whole.from);
  const from = isMove ? span.from + (by / WHEEL_PIXELS) * width : span.from + place * (width - length);
  const inside = Math.min(Math.max(from, whole.from), whole.until - length);
  return { from: inside, until: inside + length };
}
