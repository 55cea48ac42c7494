import type { Span } from "../../../ui/plot/finger-span.ts";

/** Places of two cursors, from 0 to 1 of the visible span of time, as on an oscilloscope: they stay while samples pass. */
export type Cursors = readonly [a: number, b: number];

export const USUAL_CURSORS: Cursors = [0.25, 0.75];

/** Parses stored cursors; null if they are off. */
export function readCursors(value: unknown): Cursors | null {
  const [a, b] = Array.isArray(value) ? value : [];
  return isPlace(a) && isPlace(b) ? [a, b] : null;
}

const isPlace = (value: unknown): value is number => typeof value === "number" && value >= 0 && value <= 1;

/** The times of the cursors. */
export function timesOfCursors([a, b]: Cursors, { from, until }: Span): readonly [a: number, b: number] {
  return [from + a * (until - from), from + b * (until - from)];
}

/** The span between the cursors, in whichever order they are; without cursors all that is visible. */
export function measuredSpan(places: Cursors | null, visible: Span): Span {
  if (places === null) return visible;
  const [a, b] = timesOfCursors(places, visible);
  return { from: Math.min(a, b), until: Math.max(a, b) };
}

/** The time from A to B, and the frequency with that period: `Δt −0.25 s, 4 Hz`. */
export function deltaText(places: Cursors, visible: Span): string {
  const [a, b] = timesOfCursors(places, visible);
  const text = (value: number) => String(Number(value.toPrecision(4)));
  return `Δt ${text(b - a).replace("-", "−")} s${a === b ? "" : `, ${text(1 / Math.abs(b - a))} Hz`}`;
}
