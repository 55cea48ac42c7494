import { MgrError } from "../../base/errors.ts";
import { shortened } from "../../base/text/text-length.ts";
import { visible } from "../../base/text/visible-text.ts";
import { Expanded } from "./expanded.ts";

export type KeyPath = readonly (string | number)[];

/**
 * A problem without its file and line, which are added later. `at: "key"` points at the key instead of at its value.
 * `message` may hold text of the file as it is; it is made safe to print when the problem is located.
 */
export interface Finding {
  path: KeyPath;
  message: string;
  at?: "key" | "value";
}

/** One problem of a configuration; `line` and `column` are 1-based, 0 when unknown. */
export interface ConfigProblem {
  /** The file as the caller named it, "" for a configuration given as an object. */
  file: string;
  /** The key's path, "" for the whole file. */
  path: string;
  line: number;
  column: number;
  message: string;
  /** The line itself, "" when unknown. */
  excerpt: string;
}

/** Maximum number of problems in the message of a ConfigError; `problems` has all. */
const MAX_MESSAGE_PROBLEMS = 20;

/** A configuration that cannot be used. `problems` are all that were found, in the order of the file. */
export class ConfigError extends MgrError {
  /** The main file as it was named, or null for a configuration given as an object. */
  readonly file: string | null;
  readonly problems: readonly ConfigProblem[];

  constructor(file: string | null, problems: readonly ConfigProblem[], options: { cause?: unknown } = {}) {
    const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
    const lines = problems
      .slice(0, MAX_MESSAGE_PROBLEMS)
      .map((problem) => `\n  ${locationOf(problem, file)}${problem.path === "" ? "" : `${problem.path}: `}${problem.message}`);
    if (problems.length > lines.length) lines.push(`\n  and ${problems.length - lines.length} more`);
    super("bad_field", `${file ?? "the configuration"} has ${count}:${lines.join("")}`, { ...options, details: problems });
    this.file = file;
    this.problems = problems;
  }
}

/** The place of a problem, with the file unless it is the main one. */
function locationOf(problem: ConfigProblem, main: string | null): string {
  return problem.line === 0 ? "" : `${problem.file === main ? "" : `${problem.file}:`}${problem.line}:${problem.column} `;
}

/** Formats a path, such as "processes.sim/world.depends_on[2]"; keys that would be ambiguous there are quoted: processes["a.b"]. */
export function formatKeyPath(path: KeyPath): string {
  let text = "";
  for (const key of path) {
    if (typeof key === "number") text += `[${key}]`;
    else if (/^[^\s.[\]"'\p{C}]+$/u.test(key)) text += text === "" ? key : `.${key}`;
    else text += `[${visible(JSON.stringify(key))}]`;
  }
  return text;
}

const MAX_FOUND_LENGTH = 40;

/** Describes a wrong value for people: "the number 5", "'abc'", "a list". */
export function describeValue(value: unknown): string {
  if (value instanceof Expanded) return describeValue(value.text);
  if (value === undefined) return "nothing";
  if (value === null) return "an empty value";
  if (typeof value === "string") {
    return value === "" ? "an empty string" : `'${shortened(value, MAX_FOUND_LENGTH)}'`;
  }
  if (typeof value === "number" || typeof value === "boolean") return `the ${typeof value} ${value}`;
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object") return "a mapping";
  return `a ${typeof value}`;
}
