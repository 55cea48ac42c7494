import type { ConfigFileProblem } from "../../../src/protocol/resources/resources.ts";

/** Problems in the order of the panel: those of the file that is shown, then those of the others, by position. */
export function inOrder(problems: readonly ConfigFileProblem[], shown: string): ConfigFileProblem[] {
  const files = [...new Set([shown, ...problems.map(({ path }) => path)])];
  const byPlace = (a: ConfigFileProblem, b: ConfigFileProblem) => a.line - b.line || a.column - b.column;
  return files.flatMap((file) => problems.filter(({ path }) => path === file).sort(byPlace));
}

/** "2 errors". */
export function problemCount(count: number): string {
  if (count === 0) return "No problems";
  return count === 1 ? "1 error" : `${count} errors`;
}

export type FileState = "draft" | "saved" | "in effect";

/** The state of the shown text. `hash` is that of the text without the user's changes. */
export function fileState(file: { isDirty: boolean; hash: string; effectiveHash: string | null }): FileState {
  if (file.isDirty) return "draft";
  return file.hash === file.effectiveHash ? "in effect" : "saved";
}
