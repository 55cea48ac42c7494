import { Expanded } from "../schema/expanded.ts";
import type { Finding, KeyPath } from "../schema/problems.ts";
import { entriesOf } from "../schema/schema-kinds.ts";
import { CircularProblem, ExpansionProblem, expandText } from "./expand-text.ts";

/** Values for `${NAME}` in a file: its own `defines`, those of the files that include it, the manager's environment. */
export interface VariableScope {
  get(name: string): string | undefined;
}

export function environmentVariables(environment: Readonly<Record<string, string | undefined>>): VariableScope {
  return { get: (name) => (Object.hasOwn(environment, name) ? environment[name] : undefined) };
}

/** Maximum length of a chain of definitions that need each other. */
const MAX_CHAIN = 50;

/** Mappings whose keys are names that the user chose: there, `x-…` is a name like any other. */
const NAMED = new Set(["processes", "groups", "templates", "defines", "environment", "alternate_commands", "depends_on", "header"]);

export interface ExpandedFile {
  /** The file's values, where strings with expansions are `Expanded`. */
  readonly value: unknown;
  readonly scope: VariableScope;
  readonly findings: readonly Finding[];
}

/** Expands every text of a file, except keys and everything below keys that begin with `x-`. */
export function expandFile(root: unknown, outer: VariableScope, writtenAt: (path: KeyPath) => string | undefined): ExpandedFile {
  const findings: Finding[] = [];
  const scope = new Defines(entriesOf(entriesOf(root)?.get("defines") ?? null) ?? new Map(), outer, writtenAt);
  const expand = (text: string, path: KeyPath): unknown => {
    try {
      const own = path.length === 2 && path[0] === "defines" ? scope.define(String(path[1])) : undefined;
      const expanded = own ?? expandText(text, (name) => scope.get(name));
      return expanded === text ? text : new Expanded(expanded);
    } catch (error) {
      if (!(error instanceof ExpansionProblem)) throw error;
      findings.push({ path, message: error.message });
      return new Expanded(text);
    }
  };
  // One path for all values, as long as the walk is deep: a large file has tens of thousands of them.
  const path: (string | number)[] = [];
  const walk = (value: unknown): unknown => {
    if (typeof value === "string") return value.includes("$") ? expand(value, [...path]) : value;
    if (Array.isArray(value)) return value.map((item, index) => below(index, item));
    const entries = typeof value === "object" && value !== null ? entriesOf(value) : undefined;
    if (entries === undefined) return value;
    const isNamed = NAMED.has(String(path.at(-1)));
    const expanded = new Map<string, unknown>();
    for (const [key, item] of entries) expanded.set(key, !isNamed && key.startsWith("x-") ? item : below(key, item));
    return expanded;
  };
  const below = (key: string | number, value: unknown): unknown => {
    path.push(key);
    const expanded = walk(value);
    path.pop();
    return expanded;
  };
  return { value: walk(root), scope, findings };
}

/** The `defines` of one file: they may use each other, in any order, but not in a circle. */
class Defines implements VariableScope {
  readonly #raw: ReadonlyMap<string, unknown>;
  readonly #outer: VariableScope;
  readonly #writtenAt: (path: KeyPath) => string | undefined;
  readonly #values = new Map<string, string>();
  readonly #open = new Set<string>();

  constructor(raw: ReadonlyMap<string, unknown>, outer: VariableScope, writtenAt: (path: KeyPath) => string | undefined) {
    this.#raw = raw;
    this.#outer = outer;
    this.#writtenAt = writtenAt;
  }

  get(name: string): string | undefined {
    const value = this.#raw.get(name);
    if (typeof value === "number" || typeof value === "boolean") return this.#writtenAt(["defines", name]) ?? String(value);
    if (typeof value !== "string") return this.#outer.get(name);
    // Within its own definition, a name means the outer one: PATH: "/opt/bin:${PATH}".
    if (this.#open.has(name) && [...this.#open].at(-1) === name) return this.#outer.get(name);
    try {
      return this.define(name);
    } catch (error) {
      const isInside = this.#open.size > 0 && error instanceof CircularProblem;
      if (!(error instanceof ExpansionProblem) || isInside) throw error;
      return ""; // The problem is reported where the name is defined.
    }
  }

  /** The value of one of this file's definitions. Throws ExpansionProblem. */
  define(name: string): string {
    const known = this.#values.get(name);
    if (known !== undefined) return known;
    if (this.#open.has(name)) throw new CircularProblem(`has a circular definition: ${[...this.#open, name].join(" → ")}`);
    if (this.#open.size >= MAX_CHAIN) throw new ExpansionProblem(`has a chain of more than ${MAX_CHAIN} definitions`);
    this.#open.add(name);
    try {
      const value = expandText(String(this.#raw.get(name)), (other) => this.get(other));
      this.#values.set(name, value);
      return value;
    } finally {
      this.#open.delete(name);
    }
  }
}
