export interface SearchQuery {
  text: string;
  caseSensitive: boolean;
  regex: boolean;
}

/** Number of matches, and the index of the selected one; -1 if none is known to be selected. */
export interface SearchResults {
  index: number;
  count: number;
}

/** Maximum number of matches that are counted and highlighted. */
export const MAX_MATCHES = 1_000;

/** The reason why a search is not possible; null if it is. */
export function searchProblem({ text, regex }: SearchQuery): string | null {
  if (!regex || text === "") return null;
  try {
    return new RegExp(text).test("") ? "Matches empty text" : null;
  } catch {
    return "Invalid expression";
  }
}

/** A text such as "3 of 17", or the reason why there are no matches; "" before anything is typed. */
export function resultText(query: SearchQuery, { index, count }: SearchResults): string {
  if (query.text === "") return "";
  const problem = searchProblem(query);
  if (problem !== null) return problem;
  if (count === 0) return "No matches";
  const all = count >= MAX_MATCHES ? `${MAX_MATCHES.toLocaleString("en")}+` : String(count);
  return index < 0 ? `${all} ${count === 1 ? "match" : "matches"}` : `${index + 1} of ${all}`;
}
