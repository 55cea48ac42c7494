import { MgrError } from "../../../../src/base/errors.ts";
import { compileFnmatch, isLiteral } from "../../../../src/base/patterns/fnmatch.ts";

/** The published topics that contain a text in their names, or match it as a pattern. */
export function listedTopics(published: readonly string[], text: string): readonly string[] {
  const query = text.trim();
  if (query === "") return published;
  if (isPattern(query)) return published.filter(matcher(query));
  return published.filter((name) => name.toLowerCase().includes(query.toLowerCase()));
}

/** Whether one of the patterns matches the topic; the topic itself does not count. */
export function isCovered(name: string, chosen: readonly string[]): boolean {
  return chosen.some((one) => one !== name && isPattern(one) && matcher(one)(name));
}

/** The name or pattern to add; null if the text cannot be added. `patterns`: whether patterns are allowed. */
export function addition(text: string, chosen: readonly string[], patterns: boolean): string | null {
  const query = text.trim();
  if (query === "" || chosen.includes(query)) return null;
  return patterns || !isPattern(query) ? query : null;
}

function isPattern(text: string): boolean {
  return !isLiteral(text);
}

function matcher(pattern: string): (name: string) => boolean {
  try {
    return compileFnmatch(pattern);
  } catch (error) {
    // The pattern is too long.
    if (error instanceof MgrError) return () => false;
    throw error;
  }
}

/** The first free name: "run-1", "run-2" and so on. */
export function freeName(stem: string, used: readonly { readonly name: string }[]): string {
  const names = new Set(used.map(({ name }) => name));
  let number = 1;
  while (names.has(`${stem}-${number}`)) number++;
  return `${stem}-${number}`;
}
