/** Maximum number of characters left out between two of the query within a word: "wrld" fits "world", "sd" does not fit "started". */
const MAX_LEFT_OUT = 3;
const ADJACENT = 3;
const WORD_START = 2;
const NEVER = Number.NEGATIVE_INFINITY;

/**
 * A function that scores how well `query` matches a text; null if it does not. The words of the query may be in any order. A word matches as a whole, or as an
 * abbreviation in pieces: each piece begins a word of the text, or follows closely on the one before. Characters that are merely somewhere in the
 * text do not match.
 */
export function fuzzyMatcher(query: string): (text: string) => number | null {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return (text) => scoreOf(words, text);
}

function scoreOf(words: readonly string[], text: string): number | null {
  const lower = text.toLowerCase();
  // Capitals begin words, too; the lower case of a few characters has another length.
  const cased = lower.length === text.length ? text : lower;
  // Most texts end here: comparing pieces takes ten times as long.
  for (const word of words) if (!lower.includes(word) && !hasInOrder(lower, word)) return null;
  let total = 0;
  for (const word of words) {
    const at = lower.indexOf(word);
    total += at >= 0 ? 20 + word.length * 4 + (isWordStart(cased, at) ? 10 : 0) - at / 50 : piecesScore(word, lower, cased);
    if (total === NEVER) return null;
  }
  return total - text.length / 200;
}

/** The score of the best placement of the word's characters in the text, which contains them in this order. */
function piecesScore(word: string, text: string, cased: string): number {
  /** For each position in the text: the best score of the word's characters so far, with the last of them there. */
  let before: number[] = [];
  for (let index = 0; index < word.length; index++) {
    let scores: number[] | null = null;
    let bestBefore = index === 0 ? 0 : NEVER;
    for (let at = text.indexOf(word.charAt(index)), seen = 0; at >= 0; at = text.indexOf(word.charAt(index), at + 1)) {
      for (; seen < at; seen++) bestBefore = Math.max(bestBefore, before[seen] ?? NEVER);
      const score = Math.max(isWordStart(cased, at) ? bestBefore + WORD_START : NEVER, closeScore(at, before, cased));
      if (score === NEVER) continue;
      scores ??= new Array<number>(text.length).fill(NEVER);
      scores[at] = score;
    }
    // Most texts end here, at the first character: none of its places begins a word.
    if (scores === null) return NEVER;
    before = scores;
  }
  return Math.max(NEVER, ...before);
}

/** The score of a character adjacent to the previous one, or with few left out within a word. Numbers are not abbreviated: "p00" is not "p010". */
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

/** Whether a word begins here: after a separator, at a capital, at the first digit. */
function isWordStart(text: string, at: number): boolean {
  if (at <= 0) return true;
  const [before, here] = [text.charAt(at - 1), text.charAt(at)];
  if (" /:._-\t".includes(before)) return true;
  return isDigit(here) ? !isDigit(before) : here >= "A" && here <= "Z" && before >= "a" && before <= "z";
}

const isDigit = (character: string) => character >= "0" && character <= "9";
