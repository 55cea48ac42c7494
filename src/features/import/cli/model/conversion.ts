import { didYouMean } from "../../../../base/text/suggest.ts";
import type { Draft } from "./draft.ts";
import { UnfitValue } from "./failure.ts";
import type { Entry } from "./findings.ts";
import type { Result } from "./result.ts";
import { asMap, type Tree } from "./tree.ts";

/** A key of a section that is being converted. */
export interface KeyEntry extends Entry {
  /** The key alone. */
  readonly name: string;
  readonly tree: Tree;
}

/** Converts a key: it sets keys of the draft, and reports what became of the key. */
export type Rule<Context extends Conversion> = (entry: KeyEntry, context: Context) => void;
export type Rules<Context extends Conversion> = Readonly<Record<string, Rule<Context>>>;

/** The conversion of one section into one draft. */
export class Conversion {
  readonly result: Result;
  readonly draft: Draft;
  /** All keys of the section. */
  readonly section: ReadonlyMap<string, Tree>;

  constructor(result: Result, draft: Draft, section: ReadonlyMap<string, Tree>) {
    this.result = result;
    this.draft = draft;
    this.section = section;
  }

  carried({ key, place }: Entry, to: string): void {
    this.result.findings.carried.push({ key, place, process: this.#process, to });
  }

  guessed({ key, place }: Entry, to: string, why: string): void {
    this.result.findings.guessed.push({ key, place, process: this.#process, to, why });
    if (to === "") this.draft.remarks.push(`guess: ${why}`);
    else this.draft.note(to, `guess: ${why}`);
  }

  dropped({ key, place }: Entry, why: string, instead = ""): void {
    this.result.findings.dropped.push({ key, place, process: this.#process, why, instead });
  }

  get #process(): string | null {
    return this.draft === this.result.defaults ? null : this.draft.name;
  }
}

interface RuleOptions<Context extends Conversion> {
  /** The mapping's own key; "": the whole file. */
  readonly path: string;
  /** The rule for keys that have none. */
  readonly fallback?: Rule<Context>;
}

/** Converts each key of a mapping by its rule, in the order of the rules: some need what others set. */
export function applyRules<Context extends Conversion>(
  mapping: Tree,
  rules: Rules<Context>,
  context: Context,
  { path, fallback }: RuleOptions<Context>,
): void {
  const order = Object.keys(rules);
  const rank = (name: string) => (Object.hasOwn(rules, name) ? order.indexOf(name) : order.length);
  for (const [name, tree] of [...asMap(mapping)].sort(([a], [b]) => rank(a) - rank(b))) {
    const entry = { name, key: path === "" ? name : `${path}.${name}`, place: tree.place, tree };
    const rule = Object.hasOwn(rules, name) ? rules[name] : (fallback ?? unknown(Object.keys(rules)));
    try {
      rule?.(entry, context);
    } catch (error) {
      if (!(error instanceof UnfitValue)) throw error;
      context.dropped(entry, error.message, "correct the value, or set the key of mgr.yaml by hand");
    }
  }
}

const unknown =
  (keys: readonly string[]): Rule<Conversion> =>
  (entry, context) => {
    if (entry.name.startsWith("x-")) return;
    context.dropped(
      entry,
      `this key is not known to mgr import${didYouMean(entry.name, keys)}`,
      "see docs/config-keys.md for what mgr has",
    );
  };

/** A key whose value has a counterpart. */
export function carry<Value>(to: string, read: (tree: Tree) => Value): Rule<Conversion> {
  return (entry, context) => {
    context.draft.set(to, read(entry.tree));
    context.carried(entry, to);
  };
}

/** A key whose counterpart may mean something else. */
export function guess<Value>(to: string, read: (tree: Tree) => Value, why: string): Rule<Conversion> {
  return (entry, context) => {
    context.draft.set(to, read(entry.tree));
    context.guessed(entry, to, why);
  };
}

/** A key without a counterpart. */
export function drop(why: string, instead = ""): Rule<Conversion> {
  return (entry, context) => context.dropped(entry, why, instead);
}

/** A key that needs no counterpart, because mgr always does this. */
export function always(what: string): Rule<Conversion> {
  return (entry, context) => context.carried(entry, what);
}
