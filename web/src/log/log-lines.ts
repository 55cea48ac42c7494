/** Characters that are two columns wide in a terminal font: East Asian scripts and emoji. */
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}]/u;
const ASCII = /^[\x20-\x7e]*$/;

/** Number of columns of a text in a terminal font. */
function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += WIDE.test(character) ? 2 : 1;
  return width;
}

/** Length of the beginning of a text that fits into a number of columns; at least one character. */
function fittingLength(text: string, columns: number): number {
  if (ASCII.test(text)) return Math.max(1, columns);
  let width = 0;
  let length = 0;
  for (const character of text) {
    width += WIDE.test(character) ? 2 : 1;
    if (width > columns && length > 0) break;
    length += character.length;
  }
  return length;
}

/**
 * Wraps a text to a width: at spaces if possible, else anywhere. The page wraps it instead of the browser, so that the height of a row is known
 * before it is drawn (CSS: `white-space: pre`).
 */
export function wrapped(text: string, columns: number): string {
  if (columns < 1 || (text.length * 2 <= columns && !text.includes("\n"))) return text;
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    let rest = line;
    while (widthOf(rest) > columns) {
      const most = fittingLength(rest, columns);
      const blank = rest.lastIndexOf(" ", most);
      const end = blank > 0 ? blank : most;
      lines.push(rest.slice(0, end));
      rest = rest.slice(blank > 0 ? blank + 1 : end);
    }
    lines.push(rest);
  }
  return lines.join("\n");
}

/** Number of lines of a wrapped text. */
export function linesOf(text: string, columns: number): number {
  if (columns < 1 || (text.length <= columns && ASCII.test(text))) return 1;
  return wrapped(text, columns).split("\n").length;
}

/** The positions of rows of different heights, in lines. Rows are added at the end; a binary search finds the row at a position. */
export class RowPlaces {
  /** The end of each row. */
  readonly #ends: number[] = [];

  get count(): number {
    return this.#ends.length;
  }

  /** Number of lines of all rows. */
  get total(): number {
    return this.#ends.at(-1) ?? 0;
  }

  push(lines: number): void {
    this.#ends.push(this.total + lines);
  }

  /** The first line of a row. */
  startOf(row: number): number {
    return row <= 0 ? 0 : (this.#ends[Math.min(row, this.count) - 1] ?? 0);
  }

  /** The row that covers a line; below the end the last row. */
  rowAt(line: number): number {
    let low = 0;
    let high = Math.max(0, this.count - 1);
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ends[middle] ?? 0) > line) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** Splits a message at the names of processes in quotes, so that they can be links. */
export function withNames(message: string, isProcess: (name: string) => boolean): (string | { name: string })[] {
  const parts: (string | { name: string })[] = [];
  let from = 0;
  for (const match of message.matchAll(/'([^']+)'/g)) {
    const name = match[1] ?? "";
    if (!isProcess(name)) continue;
    parts.push(message.slice(from, match.index + 1), { name });
    from = match.index + 1 + name.length;
  }
  parts.push(message.slice(from));
  return parts.filter((part) => part !== "");
}

/** Positions of the matches of a search in a wrapped text; case is ignored, and a match may contain a line break. */
export function matchesIn(text: string, search: string): [from: number, to: number][] {
  const query = search.trim();
  if (query === "") return [];
  const pattern = [...query].map((character) => (character === " " ? "[ \\n]" : escaped(character))).join("\\n?");
  return [...text.matchAll(new RegExp(pattern, "gi"))].map(({ 0: match, index }) => [index, index + match.length]);
}

/** A piece of a message; `isMatch`: whether it matches the search. */
interface MarkedPiece {
  text: string;
  isMatch: boolean;
}

/** Splits a part of a text, which begins at `start`, into pieces with and without matches. */
export function marked(part: string, start: number, matches: readonly [from: number, to: number][]): MarkedPiece[] {
  const pieces: MarkedPiece[] = [];
  const append = (until: number, isMatch: boolean) => {
    const text = part.slice(taken, until);
    if (text !== "") pieces.push({ text, isMatch });
    taken = Math.max(taken, until);
  };
  let taken = 0;
  for (const [from, to] of matches) {
    append(Math.max(0, from - start), false);
    append(Math.max(0, to - start), true);
  }
  append(part.length, false);
  return pieces;
}

/** Escapes a text for a regular expression. */
export function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
