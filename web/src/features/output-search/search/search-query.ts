import { compileFnmatch } from "../../../../../src/base/patterns/fnmatch.ts";
import { isWithin } from "../../../../../src/base/text/names.ts";
import type { OutputSearchOptions } from "../../../../../src/features/output-search/client/search-output.ts";
import { MAX_SEARCH_HITS } from "../../../../../src/features/output-search/limits.ts";

/** A search: the pattern, and where to look. */
export interface SearchQuery {
  readonly pattern: string;
  readonly isRegex: boolean;
  readonly matchesCase: boolean;
  /** Names of processes and groups, patterns, or parts of names, with spaces or commas between them; "" means all. */
  readonly names: string;
  /** Maximum age of output, seconds; 0: of any age. */
  readonly since: number;
}

export const NEW_QUERY: SearchQuery = { pattern: "", isRegex: false, matchesCase: false, names: "", since: 0 };

/** Ages to choose from, seconds. */
export const AGES: readonly (readonly [seconds: number, text: string])[] = [
  [0, "any time"],
  [300, "last 5 min"],
  [900, "last 15 min"],
  [3_600, "last hour"],
  [21_600, "last 6 h"],
  [86_400, "last 24 h"],
  [604_800, "last 7 days"],
];

type Chosen = Required<Pick<OutputSearchOptions, "names" | "patterns">>;

/** The names and patterns that a text means: a word that is neither a name nor a pattern is a part of names. */
export function chosenNames(text: string, all: readonly string[]): Chosen | null {
  // A name may contain spaces and commas.
  const words = all.includes(text.trim()) ? [text.trim()] : text.split(/[\s,]+/).filter(Boolean);
  if (words.length === 0) return null;
  const names = words.filter((word) => all.some((name) => isWithin(name, word)));
  const others = words.filter((word) => !names.includes(word));
  return { names, patterns: others.map((word) => (/[*?[]/.test(word) ? word : `*${word}*`)) };
}

/** The processes that are searched. */
export function searchedNames(text: string, all: readonly string[]): readonly string[] {
  const chosen = chosenNames(text, all);
  if (chosen === null) return all;
  const matches = chosen.patterns.map((pattern) => compileFnmatch(pattern));
  return all.filter((name) => chosen.names.some((word) => isWithin(name, word)) || matches.some((match) => match(name)));
}

/** The options of a search, without its pattern. */
export function searchOptions({ isRegex, matchesCase, names, since }: SearchQuery, all: readonly string[]): OutputSearchOptions {
  return {
    regex: isRegex,
    ignore_case: !matchesCase,
    limit: MAX_SEARCH_HITS,
    ...(since > 0 ? { since } : {}),
    ...(chosenNames(names, all) ?? {}),
  };
}

/** The parameters of an address that leads to the search. */
export function queryParameters({ pattern, isRegex, matchesCase, names, since }: SearchQuery): [name: string, value: string][] {
  const parameters: [string, string][] = [
    ["q", pattern],
    ["regex", isRegex ? "1" : ""],
    ["case", matchesCase ? "1" : ""],
    ["in", names],
    ["since", since > 0 ? String(since) : ""],
  ];
  return parameters.filter(([, value]) => value !== "");
}

/** Reads the search of an address; null if it names none. */
export function queryOfAddress(search: string): SearchQuery | null {
  const parameters = new URLSearchParams(search);
  const pattern = parameters.get("q") ?? "";
  if (pattern === "") return null;
  const since = Number(parameters.get("since") ?? 0);
  return {
    pattern,
    isRegex: parameters.get("regex") === "1",
    matchesCase: parameters.get("case") === "1",
    names: parameters.get("in") ?? "",
    since: AGES.some(([seconds]) => seconds === since) ? since : 0,
  };
}
