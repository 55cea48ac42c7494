/** The words of a filter, in lower case. */
export const wordsOf = (filter: string): string[] => filter.toLowerCase().split(/\s+/).filter(Boolean);

/** Whether a text has all words of a filter. */
export function hasWords(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

/** Items whose text has all words of the filter. */
export function filterByWords<T>(items: readonly T[], filter: string, textOf: (item: T) => string): readonly T[] {
  const words = wordsOf(filter);
  return words.length === 0 ? items : items.filter((item) => hasWords(textOf(item), words));
}
