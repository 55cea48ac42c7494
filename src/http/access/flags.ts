/** Flags of a query count with any value but `0` and `false` (docs/design/wire-rules.md, "HTTP routes"). */
export function isFlagSet(query: URLSearchParams, name: string): boolean {
  return query.getAll(name).some((value) => value !== "0" && value !== "false");
}
