/** Characters that may be left out between two of the query within one word: "wrld" fits "world", "sd" does not fit "started". */
const MAX_LEFT_OUT = 3;
const ADJACENT = 3;
const WORD_START = 2;
const NEVER = Number.NEGATIVE_INFINITY;

/**
 * How well `query` fits `text`; null when it does not fit. Its words may be in any order. A word fits as a whole, or in pieces as abbreviations
 * are written: each piece begins a word of the text, or follows closely on the one before. Characters that are merely somewhere in the text
 * do not fit.
 */
export function fuzzyScore(query: string, text: string): number | null {
  const lower = text.toLowerCase();
  // Capitals begin words, too; a few characters change their length.
  const cased = lower.length === text.length ? text : lower;
  let total = 0;
  for (const word of query.toLowerCase().split(/\s+/)) {
    if (word === "") continue;
    const at = lower.indexOf(word);
    total += at >= 0 ? 20 + word.length * 4 + (isWordStart(cased, at) ? 10 : 0) - at / 50 : piecesScore(word, lower, cased);
    if (total === NEVER) return null;
  }
  return total - text.length / 200;
}

/** Of the best way to put the word's characters into the text. */
function piecesScore(word: string, text: string, cased: string): number {
  if (!hasInOrder(text, word)) return NEVER;
  /** For each place of the text: the best score of the word's characters so far, the last of them there. */
  let before: number[] = [];
  for (let index = 0; index < word.length; index++) {
    const scores = new Array<number>(text.length).fill(NEVER);
    let bestBefore = index === 0 ? 0 : NEVER;
    for (let at = text.indexOf(word.charAt(index)), seen = 0; at >= 0; at = text.indexOf(word.charAt(index), at + 1)) {
      for (; seen < at; seen++) bestBefore = Math.max(bestBefore, before[seen] ?? NEVER);
      scores[at] = Math.max(isWordStart(cased, at) ? bestBefore + WORD_START : NEVER, closeScore(at, before, cased));
    }
    before = scores;
  }
  return Math.max(NEVER, ...before);
}

/** Adjacent to the character before, or with few left out, back to the start of the word. Numbers are not abbreviated: "p00" is not "p010". */
function closeScore(at: number, before: readonly number[], cased: string): number {
  let score = (before[at - 1] ?? NEVER) + ADJACENT;
  if (isDigit(cased.charAt(at))) return score;
  for (let leftOut = 1; leftOut <= MAX_LEFT_OUT && !isWordStart(cased, at - leftOut + 1); leftOut++)
    score = Math.max(score, (before[at - 1 - leftOut] ?? NEVER) - leftOut / 2);
  return score;
}

function hasInOrder(text: string, word: string): boolean {
  let at = -1;
  for (const character of word) {
    at = text.indexOf(character, at + 1);
    if (at < 0) return false;
  }
  return true;
}

/** After a separator, at a capital, at the first digit. */
function isWordStart(text: string, at: number): boolean {
  if (at <= 0) return true;
  const [before, here] = [text.charAt(at - 1), text.charAt(at)];
  if (" /:._-\t".includes(before)) return true;
  return isDigit(here) ? !isDigit(before) : here >= "A" && here <= "Z" && before >= "a" && before <= "z";
}

const isDigit = (character: string) => character >= "0" && character <= "9";
