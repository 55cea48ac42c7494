import type { FoundMatch } from "./matcher.ts";

/** Maximum number of UTF-16 code units of a hit's line that are shown, and how many of them before the match if the line is longer. */
const MAX_LINE_UNITS = 4_096;
const BEFORE_MATCH_UNITS = 1_024;
/** The same of a line beside a hit. */
const MAX_CONTEXT_UNITS = 1_024;

/** The part of a line around its match. */
export interface ShownLine {
  readonly line: string;
  /** Only a part of the line is shown. */
  readonly is_cut: boolean;
  /** Range of the match in `line`, UTF-16 code units. */
  readonly match: readonly [number, number];
}

export function shownLine({ text, start, end }: FoundMatch): ShownLine {
  if (text.length <= MAX_LINE_UNITS) return { line: text, is_cut: false, match: [start, end] };
  const from = wholeCharacter(text, Math.max(0, Math.min(start - BEFORE_MATCH_UNITS, text.length - MAX_LINE_UNITS)));
  const until = wholeCharacter(text, Math.min(text.length, from + MAX_LINE_UNITS));
  return { line: text.slice(from, until), is_cut: true, match: [start - from, Math.min(end, until) - from] };
}

export function shownContext(line: Buffer): string {
  // A unit has at most three bytes.
  const text = line.toString("utf8", 0, Math.min(line.length, 3 * MAX_CONTEXT_UNITS));
  return text.length <= MAX_CONTEXT_UNITS ? text : text.slice(0, wholeCharacter(text, MAX_CONTEXT_UNITS));
}

/** The position, or the one before it if that would cut a character in halves. */
function wholeCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return at > 0 && unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}
