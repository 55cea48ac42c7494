import { MgrError } from "../errors.ts";

/**
 * Patterns with the semantics of Python's `fnmatch.fnmatchcase`, quirks included: `*` any text, `?` one character,
 * `[seq]` and `[!seq]` a character of a set; all of them match `/` and line ends; a `[` that is never closed is itself.
 * Characters are code points. There is no escape but a set of one: `[*]`.
 */

/** Maximum length of a pattern, characters. */
export const MAX_FNMATCH_LENGTH = 1_024;

type Token = { readonly kind: "star" } | { readonly kind: "any" } | { readonly kind: "literal"; readonly codePoint: number } | CharacterSet;

interface CharacterSet {
  readonly kind: "set";
  readonly negated: boolean;
  readonly ranges: readonly (readonly [number, number])[];
}

/** Whether the pattern matches exactly one text: itself. */
export function isLiteral(pattern: string): boolean {
  // Most patterns are recognized at once: these two characters are special in any place.
  if (/[*?]/.test(pattern)) return false;
  return !pattern.includes("[") || parse(pattern).every((token) => token.kind === "literal");
}

/** Compiles a pattern. A match takes at most |name| × |pattern| steps. Throws `bad_field` for a pattern over MAX_FNMATCH_LENGTH. */
export function compileFnmatch(pattern: string): (name: string) => boolean {
  const tokens = parse(pattern);
  if (tokens.length === 1 && tokens[0]?.kind === "star") return () => true;
  if (tokens.every((token) => token.kind === "literal")) return (name) => name === pattern;
  const program = compact(tokens);
  return (name) => matches(program, name);
}

/**
 * Compact tokens, four bytes each: clients hold thousands of patterns of a thousand characters. A step is a code point, STAR, ANY, or SET minus the
 * index of its set.
 */
interface Program {
  readonly steps: Int32Array;
  readonly sets: readonly CharacterSet[];
}
const STAR = -1;
const ANY = -2;
const SET = -3;

function compact(tokens: readonly Token[]): Program {
  const sets: CharacterSet[] = [];
  const steps = Int32Array.from(tokens, (token) => {
    if (token.kind === "set") return SET - (sets.push(token) - 1);
    if (token.kind === "literal") return token.codePoint;
    return token.kind === "star" ? STAR : ANY;
  });
  return { steps, sets };
}

/** Two pointers; on a mismatch the last star matches one more character. Earlier stars need not be tried again. */
function matches({ steps, sets }: Program, name: string): boolean {
  let at = 0;
  let index = 0;
  let starIndex = -1;
  let starAt = 0;
  while (at < name.length) {
    const codePoint = name.codePointAt(at) ?? 0;
    const step = steps[index];
    if (step === STAR) {
      starIndex = index++;
      starAt = at;
    } else if (step !== undefined && (step === codePoint || step === ANY || (step <= SET && isIn(sets[SET - step], codePoint)))) {
      index++;
      at += width(codePoint);
    } else if (starIndex >= 0) {
      starAt += width(name.codePointAt(starAt) ?? 0);
      at = starAt;
      index = starIndex + 1;
    } else {
      return false;
    }
  }
  while (steps[index] === STAR) index++;
  return index === steps.length;
}

/** UTF-16 units of a code point. */
function width(codePoint: number): number {
  return codePoint > 0xffff ? 2 : 1;
}

function isIn(set: CharacterSet | undefined, codePoint: number): boolean {
  return set !== undefined && set.ranges.some(([first, last]) => first <= codePoint && codePoint <= last) !== set.negated;
}

const code = (character: string | undefined): number => character?.codePointAt(0) ?? 0;

function parse(pattern: string): Token[] {
  const characters = [...pattern];
  if (characters.length > MAX_FNMATCH_LENGTH) {
    throw new MgrError("bad_field", `A pattern of ${characters.length} characters is too long: at most ${MAX_FNMATCH_LENGTH}.`);
  }
  const tokens: Token[] = [];
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index];
    if (character === "*") {
      if (tokens.at(-1)?.kind !== "star") tokens.push({ kind: "star" });
    } else if (character === "?") {
      tokens.push({ kind: "any" });
    } else {
      const end = character === "[" ? setEnd(characters, index) : -1;
      if (end < 0) {
        tokens.push({ kind: "literal", codePoint: code(character) });
      } else {
        tokens.push(setToken(characters.slice(index + 1, end)));
        index = end;
      }
    }
  }
  return tokens;
}

/** Index of the `]` that closes the set opened at `start`, -1 if none does. A `]` that comes first is a member. */
function setEnd(characters: readonly string[], start: number): number {
  let first = start + 1;
  if (characters[first] === "!") first++;
  return characters.indexOf("]", characters[first] === "]" ? first + 1 : first);
}

/** The inside of a set, as `fnmatch.translate` reads it: reversed ranges are removed before a leading `!` is read. */
function setToken(inside: readonly string[]): Token {
  const chunks = splitAtHyphens(inside);
  const negated = chunks[0]?.[0] === "!";
  if (negated) chunks[0]?.shift();
  // A `!` that becomes first because a reversed range was removed replaces the start of the next range: its hyphen is a member then.
  if (chunks[0]?.length === 0 && chunks[1]) chunks.splice(0, 2, ["-", ...chunks[1]]);
  const ranges: [number, number][] = [];
  for (const [position, chunk] of chunks.entries()) {
    const opensRange = position < chunks.length - 1;
    const closesRange = position > 0;
    const alone = chunk.slice(closesRange ? 1 : 0, opensRange ? -1 : undefined);
    for (const character of alone) ranges.push([code(character), code(character)]);
    if (opensRange) ranges.push([code(chunk.at(-1)), code(chunks[position + 1]?.[0])]);
  }
  return { kind: "set", negated, ranges };
}

/** Splits at the hyphens of ranges: the last character of each chunk and the first of the next one are the ends of a range. */
function splitAtHyphens(inside: readonly string[]): string[][] {
  const chunks: string[][] = [];
  let start = 0;
  let hyphen = inside.indexOf("-", inside[0] === "!" ? 2 : 1);
  while (hyphen >= 0) {
    chunks.push(inside.slice(start, hyphen));
    start = hyphen + 1;
    hyphen = inside.indexOf("-", hyphen + 3);
  }
  const rest = inside.slice(start);
  const last = chunks.at(-1);
  if (rest.length > 0 || !last) chunks.push(rest);
  else last.push("-");
  for (let position = chunks.length - 1; position > 0; position--) mergeIfReversed(chunks, position);
  return chunks;
}

function mergeIfReversed(chunks: string[][], position: number): void {
  const before = chunks[position - 1] ?? [];
  const after = chunks[position] ?? [];
  if (code(before.at(-1)) > code(after[0])) chunks.splice(position - 1, 2, [...before.slice(0, -1), ...after.slice(1)]);
}
