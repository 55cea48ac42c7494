/**
 * How well `query` fits `text`: its characters in order, better when adjacent, at the start of a word, or early. Null
 * when it does not fit; words may be in any order.
 */
export function fuzzyScore(query: string, text: string): number | null {
  const lower = text.toLowerCase();
  let total = 0;
  for (const word of query.toLowerCase().split(/\s+/)) {
    if (word === "") continue;
    const score = wordScore(word, lower);
    if (score === null) return null;
    total += score;
  }
  return total - text.length / 200;
}

function wordScore(word: string, text: string): number | null {
  const at = text.indexOf(word);
  if (at >= 0) return 20 + word.length * 4 + (isWordStart(text, at) ? 10 : 0) - at / 50;
  let score = 0;
  let from = 0;
  let previous = -2;
  for (const character of word) {
    const found = text.indexOf(character, from);
    if (found < 0) return null;
    score += found === previous + 1 ? 3 : isWordStart(text, found) ? 2 : 0;
    previous = found;
    from = found + 1;
  }
  return score;
}

function isWordStart(text: string, at: number): boolean {
  return at === 0 || /[\s/:._-]/.test(text[at - 1] ?? "");
}
