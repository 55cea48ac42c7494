import { LinearRegex, literalPattern } from "../../../../base/patterns/linear-regex.ts";
import { LiteralSearch } from "../../../../daemon/output/literal-search.ts";

/** Words of messages about regular expressions. */
const USE = { of: "a search", instead: "search for plain text without -E and filter the result" };

/** The pattern of a search. */
export interface Pattern {
  readonly pattern: string;
  /** A regular expression in the syntax of RE2; else plain text. */
  readonly isRegex: boolean;
  readonly ignoresCase: boolean;
}

/** A line as text, and the range of its first match in UTF-16 code units. */
export interface FoundMatch {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Finds the lines of one text after the other that match a pattern. */
export interface Matcher {
  /** The text whose lines are searched next. */
  begin(text: Buffer): void;
  /** A position from `from` on within the first line that may match; -1: none does. */
  next(from: number): number;
  /** The first match in one line, given without its line end; null: none. */
  match(line: Buffer): FoundMatch | null;
}

/** Throws `PatternRefused`. */
export function createMatcher({ pattern, isRegex, ignoresCase }: Pattern): Matcher {
  if (isRegex) return new RegexMatcher(compiled(pattern, ignoresCase));
  if (!ignoresCase) return new TextMatcher(pattern);
  return isFoldedByByte(pattern) ? new FoldedTextMatcher(pattern) : new AnchoredMatcher(pattern, compiled(literalPattern(pattern), true));
}

const compiled = (pattern: string, ignoresCase: boolean) => new LinearRegex(pattern, { ignoresCase, use: USE });

/** Plain text, byte by byte. */
class TextMatcher implements Matcher {
  readonly #needle: Buffer;
  #text: Buffer = Buffer.alloc(0);

  constructor(pattern: string) {
    this.#needle = Buffer.from(pattern);
  }

  begin(text: Buffer): void {
    this.#text = text;
  }

  next(from: number): number {
    return this.#text.indexOf(this.#needle, from);
  }

  match(line: Buffer): FoundMatch | null {
    return rangeOf(line, line.indexOf(this.#needle), this.#needle.length);
  }
}

/** ASCII text of either case. Only letters that have no third form beyond ASCII may be in it. */
class FoldedTextMatcher implements Matcher {
  readonly #needle: Buffer;
  readonly #folded = new FoldedCopy();

  constructor(pattern: string) {
    this.#needle = Buffer.from(pattern.toLowerCase());
  }

  begin(text: Buffer): void {
    this.#folded.begin(text);
  }

  next(from: number): number {
    return this.#folded.bytes.indexOf(this.#needle, from);
  }

  match(line: Buffer): FoundMatch | null {
    return rangeOf(line, folded(line, Buffer.allocUnsafe(line.length)).indexOf(this.#needle), this.#needle.length);
  }
}

/** Text of either case: lines that have its longest part of folded ASCII are examined by a regular expression. */
class AnchoredMatcher implements Matcher {
  readonly #anchor: Buffer;
  readonly #regex: RegexMatcher;
  readonly #folded = new FoldedCopy();

  constructor(pattern: string, regex: LinearRegex) {
    this.#anchor = Buffer.from(longestAnchor(pattern));
    this.#regex = new RegexMatcher(regex);
  }

  begin(text: Buffer): void {
    if (this.#anchor.length > 0) this.#folded.begin(text);
  }

  next(from: number): number {
    return this.#anchor.length > 0 ? this.#folded.bytes.indexOf(this.#anchor, from) : from;
  }

  match(line: Buffer): FoundMatch | null {
    return this.#regex.match(line);
  }
}

/** The lines that contain a literal of the expression are examined, or all if it has none; the time is linear, whatever the pattern. */
class RegexMatcher implements Matcher {
  readonly #regex: LinearRegex;
  readonly #literals: LiteralSearch | null;

  constructor(regex: LinearRegex) {
    this.#regex = regex;
    this.#literals = regex.literals === null ? null : new LiteralSearch(regex.literals);
  }

  begin(text: Buffer): void {
    this.#literals?.begin(text);
  }

  next(from: number): number {
    return this.#literals === null ? from : this.#literals.next(from);
  }

  match(line: Buffer): FoundMatch | null {
    const text = line.toString();
    const found = this.#regex.find(text);
    return found === null ? null : { text, ...found };
  }
}

/** A copy of a text with small ASCII letters, in memory that is used again. */
class FoldedCopy {
  bytes: Buffer = Buffer.alloc(0);
  #memory: Buffer = Buffer.alloc(0);

  begin(text: Buffer): void {
    if (this.#memory.length < text.length) this.#memory = Buffer.allocUnsafeSlow(text.length);
    this.bytes = folded(text, this.#memory);
  }
}

const SMALL = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte));

function folded(text: Buffer, target: Buffer): Buffer {
  for (let at = 0; at < text.length; at++) target[at] = SMALL[text[at] ?? 0] ?? 0;
  return target.subarray(0, text.length);
}

/** The Kelvin sign folds to k and the long s to s: two letters of ASCII that other bytes can stand for. */
const FOLDED_BY_BYTE = /[\x20-\x7e]/;
const isPlain = (character: string) => FOLDED_BY_BYTE.test(character) && !/[ks]/i.test(character);
const isFoldedByByte = (pattern: string) => [...pattern].every(isPlain);

function longestAnchor(pattern: string): string {
  let longest = "";
  let current = "";
  for (const character of pattern) {
    current = isPlain(character) ? current + character.toLowerCase() : "";
    if (current.length > longest.length) longest = current;
  }
  return longest;
}

/** Bytes that are not UTF-8 are decoded alike in a line and in its part before the match, which begins with a whole character. */
function rangeOf(line: Buffer, at: number, length: number): FoundMatch | null {
  if (at < 0) return null;
  const start = line.toString("utf8", 0, at).length;
  return { text: line.toString(), start, end: start + line.toString("utf8", at, at + length).length };
}
