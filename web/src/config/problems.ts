import type { ConfigFileProblem } from "../../../src/protocol/resources/resources.ts";

export type Severity = "error" | "warning";

/** A problem as the panel shows it; line and column count from 1. */
export interface ShownProblem extends ConfigFileProblem {
  readonly severity: Severity;
}

/** What the editor found in the file that is shown, and what the manager found in the others, by place. */
export function allProblems(shown: { path: string; found: readonly ShownProblem[] }, told: readonly ConfigFileProblem[]): ShownProblem[] {
  const others = told.filter(({ path }) => path !== shown.path).map((problem): ShownProblem => ({ ...problem, severity: "error" }));
  const byPlace = (a: ShownProblem, b: ShownProblem) => a.line - b.line || a.column - b.column;
  const files = [...new Set(others.map(({ path }) => path))];
  return [...[...shown.found].sort(byPlace), ...files.flatMap((path) => others.filter((problem) => problem.path === path).sort(byPlace))];
}

/** "2 errors, 1 warning". */
export function problemCount(problems: readonly { severity: Severity }[]): string {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const warnings = problems.length - errors;
  const parts = [counted(errors, "error"), counted(warnings, "warning")].filter((part) => part !== "");
  return parts.length === 0 ? "No problems" : parts.join(", ");
}

const counted = (count: number, word: string) => (count === 0 ? "" : `${count} ${word}${count === 1 ? "" : "s"}`);

export type FileState = "draft" | "saved" | "in effect";

/** In which state the text is that is shown. `hash` is that of the text without the user's changes. */
export function fileState(file: { isDirty: boolean; hash: string; effectiveHash: string | null }): FileState {
  if (file.isDirty) return "draft";
  return file.hash === file.effectiveHash ? "in effect" : "saved";
}
