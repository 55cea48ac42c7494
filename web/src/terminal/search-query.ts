export interface SearchQuery {
  text: string;
  caseSensitive: boolean;
  regex: boolean;
}

/** How many matches there are, and which one is selected, from 0; -1: none is known to be. */
export interface SearchResults {
  index: number;
  count: number;
}

/** Matches that are counted and highlighted. */
export const MAX_MATCHES = 1_000;

/** Why a search cannot be done, in words; null if it can. */
export function searchProblem({ text, regex }: SearchQuery): string | null {
  if (!regex || text === "") return null;
  try {
    return new RegExp(text).test("") ? "Matches empty text" : null;
  } catch {
    return "Invalid expression";
  }
}

/** "3 of 17", or why there is nothing to show; "" before anything is typed. */
export function resultText(query: SearchQuery, { index, count }: SearchResults): string {
  if (query.text === "") return "";
  const problem = searchProblem(query);
  if (problem !== null) return problem;
  if (count === 0) return "No matches";
  const all = count >= MAX_MATCHES ? `${MAX_MATCHES.toLocaleString("en")}+` : String(count);
  return index < 0 ? `${all} ${count === 1 ? "match" : "matches"}` : `${index + 1} of ${all}`;
}
