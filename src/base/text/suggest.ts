import { ancestorNames, displayName } from "./names.ts";

/** Maximum number of names in one suggestion. */
const MAX_SUGGESTIONS = 3;

/** The candidate that `word` is most likely a misspelling of, as the end of a sentence: "; did you mean 'x'?", or "". */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  return sentence(closest(word, candidates).slice(0, 1));
}

/** Suggests a process or group: its full name may be misspelled, or only its last segment given. */
export function didYouMeanName(word: string, processes: Iterable<string>): string {
  const names = new Set([...processes].flatMap((name) => [...ancestorNames(name), name]));
  const whole = closest(word, names);
  if (whole.length > 0) return sentence(whole);
  const segments = new Set(closest(word, [...names].map(displayName)));
  return sentence([...names].filter((name) => segments.has(displayName(name))));
}

function sentence(found: readonly string[]): string {
  const quoted = found.slice(0, MAX_SUGGESTIONS).map((name) => `'${name}'`);
  return quoted.length === 0 ? "" : `; did you mean ${quoted.join(" or ")}?`;
}

/** The candidates with the smallest edit distance to `word`, if that is small enough for a misspelling. */
function closest(word: string, candidates: Iterable<string>): string[] {
  let best: string[] = [];
  let bestDistance = Math.max(1, Math.floor(word.length / 3));
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) > bestDistance) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance > bestDistance) continue;
    if (distance < bestDistance) best = [];
    best.push(candidate);
    bestDistance = distance;
  }
  return best;
}

/** Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours each cost 1. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(at(last, j) + 1, at(row, j - 1) + 1, substitution);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, at(beforeLast, j - 2) + 1);
      row.push(cost);
    }
    [beforeLast, last] = [last, row];
  }
  return at(last, b.length);
}

function at(row: number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
