import stringWidth from "string-width";
import { visible } from "../../base/text/visible-text.ts";
import type { ConfigError, ConfigProblem } from "../schema/problems.ts";

/** Maximum number of characters of a line that are shown around a problem. */
const EXCERPT_WIDTH = 100;
const BEFORE_CARET = 60;

/**
 * A configuration's problems for people, each with its line and a caret:
 *
 *     mgr.yaml:12:5  processes.sim/world.restart.polciy  unknown key; did you mean 'policy'?
 *         polciy: never
 *         ^
 */
export function formatConfigError(error: ConfigError): string {
  return error.problems.map((problem) => [headline(problem), ...excerpt(problem)].join("\n")).join("\n");
}

function headline(problem: ConfigProblem): string {
  const place = problem.line === 0 ? problem.file : `${problem.file}:${problem.line}:${problem.column}`;
  return visible([place, problem.path, problem.message].filter((part) => part !== "").join("  "));
}

function excerpt(problem: ConfigProblem): string[] {
  if (problem.excerpt.trim() === "") return [];
  const start = Math.max(0, problem.column - 1 - BEFORE_CARET);
  const shown = problem.excerpt.slice(start, start + EXCERPT_WIDTH);
  const before = shown.slice(0, problem.column - 1 - start);
  const indent = start === 0 ? (/^[ ]*/.exec(shown)?.[0].length ?? 0) : 0;
  const cut = Math.min(indent, before.length);
  const caret = `${" ".repeat(stringWidth(shownLine(before.slice(cut))))}^`;
  return [`    ${shownLine(shown.slice(cut)).trimEnd()}`, `    ${caret}`];
}

/** Shows a tab as one blank and escapes control characters, so that the caret is in the right column and the text does not control the terminal. */
function shownLine(text: string): string {
  return visible(text.replaceAll("\t", " "));
}
