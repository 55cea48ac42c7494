/** The words of a filter, in lower case. */
export const wordsOf = (filter: string): string[] => filter.toLowerCase().split(/\s+/).filter(Boolean);

/** Whether a text has all words of a filter. */
export function hasWords(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}
