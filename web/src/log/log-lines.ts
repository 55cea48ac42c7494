/** Characters that are two columns wide in a terminal font: East Asian scripts and emoji. */
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}]/u;
const ASCII = /^[\x20-\x7e]*$/;

/** Columns of a text in a terminal font. */
function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += WIDE.test(character) ? 2 : 1;
  return width;
}

/** How much of the beginning of a text fits into a number of columns; at least one character. */
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
 * A text in lines of a given width: broken at blanks where it can be, else anywhere. Done here and not by the browser,
 * so that the height of a row is known before it is drawn (CSS: `white-space: pre`).
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

/** Lines that a text takes when it is wrapped. */
export function linesOf(text: string, columns: number): number {
  if (columns < 1 || (text.length <= columns && ASCII.test(text))) return 1;
  return wrapped(text, columns).split("\n").length;
}

/** Where rows of different heights lie, in lines: grows at its end, and finds the row at a place in steps of halves. */
export class RowPlaces {
  /** Where each row ends. */
  readonly #ends: number[] = [];

  get count(): number {
    return this.#ends.length;
  }

  /** Lines of all rows. */
  get total(): number {
    return this.#ends.at(-1) ?? 0;
  }

  push(lines: number): void {
    this.#ends.push(this.total + lines);
  }

  /** The line where a row begins. */
  startOf(row: number): number {
    return row <= 0 ? 0 : (this.#ends[Math.min(row, this.count) - 1] ?? 0);
  }

  /** The row that covers a line; the last one below the end. */
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

/** Where in a wrapped text what was searched for begins and ends: upper and lower case alike, also where a line break stands within. */
export function matchesIn(text: string, search: string): [from: number, to: number][] {
  const wanted = search.trim();
  if (wanted === "") return [];
  const pattern = [...wanted].map((character) => (character === " " ? "[ \\n]" : escaped(character))).join("\\n?");
  return [...text.matchAll(new RegExp(pattern, "gi"))].map(({ 0: match, index }) => [index, index + match.length]);
}

/** A piece of a message; `isMatch`: it is what was searched for. */
interface MarkedPiece {
  text: string;
  isMatch: boolean;
}

/** The pieces of a part of a text, which begins at `start`. */
export function marked(part: string, start: number, matches: readonly [from: number, to: number][]): MarkedPiece[] {
  const pieces: MarkedPiece[] = [];
  const take = (until: number, isMatch: boolean) => {
    const text = part.slice(taken, until);
    if (text !== "") pieces.push({ text, isMatch });
    taken = Math.max(taken, until);
  };
  let taken = 0;
  for (const [from, to] of matches) {
    take(Math.max(0, from - start), false);
    take(Math.max(0, to - start), true);
  }
  take(part.length, false);
  return pieces;
}

/** A text as a part of a regular expression. */
export function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
