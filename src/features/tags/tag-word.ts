/** Beginning of a word that selects the processes with a tag. */
export const TAG_PREFIX = "tag:";

/** The tag of a word such as `tag:sim`; null: it is no such word. */
export function tagOfWord(word: string): string | null {
  return word.startsWith(TAG_PREFIX) ? word.slice(TAG_PREFIX.length) : null;
}
