import { MgrError } from "../../../../src/base/errors.ts";
import { compileFnmatch, isLiteral } from "../../../../src/base/fnmatch.ts";

/** The published topics that a text means: those that have it in their names, or match it as a pattern. */
export function listedTopics(published: readonly string[], text: string): readonly string[] {
  const wanted = text.trim();
  if (wanted === "") return published;
  if (isPattern(wanted)) return published.filter(matcher(wanted));
  return published.filter((name) => name.toLowerCase().includes(wanted.toLowerCase()));
}

/** Whether one of the patterns means the topic; not whether it is one of them by its name. */
export function isCovered(name: string, chosen: readonly string[]): boolean {
  return chosen.some((one) => one !== name && isPattern(one) && matcher(one)(name));
}

/** Null: the text is no name that could be added. `patterns`: whether a pattern can. */
export function addition(text: string, chosen: readonly string[], patterns: boolean): string | null {
  const wanted = text.trim();
  if (wanted === "" || chosen.includes(wanted)) return null;
  return patterns || !isPattern(wanted) ? wanted : null;
}

function isPattern(text: string): boolean {
  return !isLiteral(text);
}

function matcher(pattern: string): (name: string) => boolean {
  try {
    return compileFnmatch(pattern);
  } catch (error) {
    // Longer than patterns may be.
    if (error instanceof MgrError) return () => false;
    throw error;
  }
}

/** "run-1", or the first one that is free. */
export function freeName(stem: string, used: readonly { readonly name: string }[]): string {
  const names = new Set(used.map(({ name }) => name));
  let number = 1;
  while (names.has(`${stem}-${number}`)) number++;
  return `${stem}-${number}`;
}
