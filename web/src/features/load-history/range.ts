/** A part of the past: the last seconds, which goes on as time does, or a fixed one, in milliseconds since 1970. */
export type Range = { readonly last: number } | { readonly from: number; readonly until: number };

export interface Span {
  readonly from: number;
  readonly until: number;
}

/** Lengths that can be chosen, seconds. */
export const RANGES: readonly (readonly [seconds: number, word: string])[] = [
  [600, "10 min"],
  [3_600, "1 h"],
  [21_600, "6 h"],
  [86_400, "1 d"],
  [604_800, "7 d"],
  [2_592_000, "30 d"],
];
export const USUAL_RANGE: Range = { last: 3_600 };

/** Shortest range, ms: there is at most one measurement a second. */
const MIN_SPAN_MS = 10_000;
/** How long history is kept, ms. */
const MAX_SPAN_MS = 2_592_000_000;

export const isLive = (range: Range): range is { readonly last: number } => "last" in range;

export const spanOf = (range: Range, now: number): Span => (isLive(range) ? { from: now - range.last * 1_000, until: now } : range);

/** A span that is neither too short nor too long, and does not end in the future. */
export function within({ from, until }: Span, now: number): Range {
  const length = Math.min(MAX_SPAN_MS, Math.max(MIN_SPAN_MS, until - from));
  const middle = (from + until) / 2;
  const end = Math.min(now, middle + length / 2);
  return { from: Math.round(end - length), until: Math.round(end) };
}

/** The span zoomed by a factor around a time; a factor above 1 shows more. */
export function zoomed({ from, until }: Span, factor: number, around: number, now: number): Range {
  return within({ from: around - (around - from) * factor, until: around + (until - around) * factor }, now);
}

/** The span moved by a fraction of its length. */
export function moved({ from, until }: Span, by: number, now: number): Range {
  const step = by * (until - from);
  return within({ from: from + step, until: until + step }, now);
}

export const isSame = (one: Range, other: Range): boolean =>
  isLive(one) ? isLive(other) && one.last === other.last : !isLive(other) && one.from === other.from && one.until === other.until;

/** The range that an address names; null if it names none. */
export function rangeOfAddress(search: string): Range | null {
  const parameters = new URLSearchParams(search);
  const last = RANGES.find(([, word]) => word.replace(" ", "") === parameters.get("range"));
  if (last !== undefined) return { last: last[0] };
  const [from, until] = ["from", "until"].map((name) => Date.parse(`${parameters.get(name)}Z`));
  if (from === undefined || until === undefined || !(until - from >= MIN_SPAN_MS) || until - from > MAX_SPAN_MS) return null;
  return { from, until };
}

/** Names and values of the address's parameters; none for the usual range. */
export function rangeParameters(range: Range): [string, string][] {
  if (isSame(range, USUAL_RANGE)) return [];
  if (isLive(range)) {
    const word = RANGES.find(([seconds]) => seconds === range.last)?.[1];
    return word === undefined ? [] : [["range", word.replace(" ", "")]];
  }
  return [
    ["from", timeText(range.from)],
    ["until", timeText(range.until)],
  ];
}

/** Milliseconds since 1970 as on the wire. */
export const timeText = (time: number): string => new Date(time).toISOString().slice(0, -1);
