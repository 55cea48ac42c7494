/** Puts the parameters of a view into the address, in place of all with these names, so that it stays a link to what is shown. */
export function putInAddress(names: readonly string[], parameters: Iterable<readonly [string, string]>): void {
  const search = new URLSearchParams(location.search);
  for (const name of names) search.delete(name);
  for (const [name, value] of parameters) search.append(name, value);
  history.replaceState(null, "", `?${readableQuery(search)}`);
}

/** Slashes, colons, commas and brackets are legal in a query, and easier to read. */
function readableQuery(search: URLSearchParams): string {
  const legal = { "%2F": "/", "%3A": ":", "%2C": ",", "%5B": "[", "%5D": "]" };
  return search.toString().replace(/%(?:2F|3A|2C|5B|5D)/g, (code) => legal[code as keyof typeof legal]);
}
