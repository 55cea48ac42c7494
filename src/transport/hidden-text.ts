/** Takes the place of the name of a hidden process in a text. */
const PLACEHOLDER = "(hidden)";

/** A part of a text: from the first index up to the second. */
type Range = readonly [number, number];

/**
 * Replaces hidden names in texts. Names may have any character but are words of a text only between characters that are not part of one. The
 * time depends on the length of the text, not on the number of names: thousands of entries of the log are examined for one request.
 */
export class HiddenText {
  readonly #names: ReadonlySet<string>;
  /** The first words of the names: most words of a text begin none. */
  readonly #firstWords: ReadonlySet<string>;
  readonly #maxLength: number;

  constructor(names: Iterable<string>) {
    this.#names = new Set(names);
    this.#firstWords = new Set(Array.from(this.#names, (name) => name.slice(0, wordEnd(name, 0))));
    let maxLength = 0;
    for (const { length } of this.#names) maxLength = Math.max(maxLength, length);
    this.#maxLength = maxLength;
  }

  replace(text: string): string {
    if (this.#names.size === 0) return text;
    let result = "";
    let from = 0;
    for (const [start, end] of this.#ranges(text)) {
      result += `${text.slice(from, start)}${PLACEHOLDER}`;
      from = end;
    }
    return result + text.slice(from);
  }

  /** The parts that are hidden names; names that overlap are one part. */
  #ranges(text: string): Range[] {
    const ranges: Range[] = [];
    for (let at = 0; at < text.length; at = wordEnd(text, at)) {
      // Behind a slash begins the end of another name.
      if (at > 0 && (text[at - 1] === "/" || isPartOfWord(text[at - 1]))) continue;
      const end = this.#endOfName(text, at);
      if (end === null) continue;
      const last = ranges.at(-1);
      if (last === undefined || last[1] <= at) ranges.push([at, end]);
      else ranges[ranges.length - 1] = [last[0], Math.max(last[1], end)];
    }
    return ranges;
  }

  /** The end of the longest name that begins here. */
  #endOfName(text: string, at: number): number | null {
    let end = wordEnd(text, at);
    if (!this.#firstWords.has(text.slice(at, end))) return null;
    let found: number | null = null;
    for (; end <= text.length && end - at <= this.#maxLength; end = wordEnd(text, end))
      if (!isPartOfWord(text[end]) && this.#names.has(text.slice(at, end))) found = end;
    return found;
  }
}

/** The end of the word that begins here; any other character stands alone. */
function wordEnd(text: string, at: number): number {
  let end = at + 1;
  if (isPartOfWord(text[at])) while (isPartOfWord(text[end])) end++;
  return end;
}

const isPartOfWord = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}_]/u.test(character);
