import stringWidth from "string-width";
import { visible } from "../../base/visible-text.ts";
import type { ConfigError, ConfigProblem } from "../schema/problems.ts";

/** Characters of a line that are shown around the place of a problem. */
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

/** A tab as one blank and control characters escaped, so that the caret stands right and a terminal is not acted on. */
function shownLine(text: string): string {
  return visible(text.replaceAll("\t", " "));
}
