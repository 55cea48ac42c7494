export interface Span {
  readonly from: number;
  readonly until: number;
}

/** Fingers closer to each other than this part of the width are not told apart. */
const MIN_DISTANCE = 0.02;

/**
 * The part of `whole` that is shown when fingers move so that what was under each of the first two stays under it. Places are parts of the
 * width: `before` those that the fingers had while `span` was shown, `now` those of the same fingers.
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

/** Pixels of the wheel that double or halve what is shown, or move it by its whole length. */
const WHEEL_PIXELS = 400;

/** The part of `whole` that is shown after a turn of the wheel: zoomed so that what is at `place` stays there, or moved. `by`: in pixels. */
export function spanAtWheel(span: Span, { by, isMove, place }: { by: number; isMove: boolean; place: number }, whole: Span): Span {
  const width = span.until - span.from;
  const length = Math.min(isMove ? width : width * 2 ** (by / WHEEL_PIXELS), whole.until - whole.from);
  const from = isMove ? span.from + (by / WHEEL_PIXELS) * width : span.from + place * (width - length);
  const inside = Math.min(Math.max(from, whole.from), whole.until - length);
  return { from: inside, until: inside + length };
}
