import { effect, signal } from "@preact/signals";
import { messageOf } from "../../../../../src/base/errors.ts";
import type { OutputSearchSummary } from "../../../../../src/features/output-search/client/search-output.ts";
import type { OutputHit } from "../../../../../src/features/output-search/wire.ts";
import { putInAddress } from "../../../state/address-parameters.ts";
import { current } from "../../../state/navigation.ts";
import { drawnWithNextFrame } from "../../../state/painting.ts";
import { client } from "../../../state/store.ts";
import { SEARCH_PARAMETERS } from "../views.ts";
import { type FoundHit, isSamePlace, SearchResults } from "./result-rows.ts";
import { NEW_QUERY, queryOfAddress, queryParameters, type SearchQuery, searchOptions } from "./search-query.ts";

export type SearchState =
  | { readonly kind: "idle" }
  | { readonly kind: "running"; readonly searched: number; readonly hosts: number; readonly hosts_done: number }
  | { readonly kind: "done"; readonly summary: OutputSearchSummary }
  | { readonly kind: "cancelled" }
  | { readonly kind: "failed"; readonly problem: string };

/** Number of lines before and after a hit that are requested. */
const CONTEXT = 6;
/** Maximum number of characters of a pattern. */
const MAX_PATTERN = 1_024;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they, and what stands for invalid bytes, are not in the output as they are shown.
const NOT_AS_WRITTEN = /[\x00-\x1f\x7f-\x9f\ufffd\ufeff]/;

/** The query in the form, which is searched once it is submitted. */
export const query = signal<SearchQuery>(NEW_QUERY);
/** The query that was searched last; null: none. */
export const searched = signal<SearchQuery | null>(null);
export const searchState = signal<SearchState>({ kind: "idle" });
/** The hits; `version` grows with each change of them. */
export const results = signal<{ readonly all: SearchResults; readonly version: number }>({ all: new SearchResults(), version: 0 });

let running = new AbortController();

/** Draws what has changed in the hits. */
function changed(all: SearchResults): void {
  if (results.peek().all === all) results.value = { all, version: results.peek().version + 1 };
}

/** Searches for the query in the form, instead of what is being searched. */
export async function startSearch(): Promise<void> {
  cancelSearch();
  const wanted = query.peek();
  if (wanted.pattern === "") return;
  running = new AbortController();
  const { signal: aborted } = running;
  const all = new SearchResults();
  results.value = { all, version: 0 };
  searched.value = wanted;
  searchState.value = { kind: "running", searched: 0, hosts: 0, hosts_done: 0 };
  try {
    // An address is searched when the page loads: the connection, and with it the names, come later.
    await client.opened();
    await client.mirror.current();
    if (aborted.aborted) return;
    const hits = client.searchOutput(wanted.pattern, {
      ...searchOptions(
        wanted,
        client.mirror.processes().map(({ name }) => name),
      ),
      signal: aborted,
      onProgress: ({ searched, hosts, hosts_done }) => {
        if (!aborted.aborted) searchState.value = { kind: "running", searched, hosts, hosts_done };
      },
    });
    for (;;) {
      const { done, value } = await hits.next();
      if (aborted.aborted) return;
      if (done) {
        searchState.value = { kind: "done", summary: value };
        return;
      }
      all.add(value);
      drawnWithNextFrame(() => changed(all));
    }
  } catch (error) {
    if (!aborted.aborted) searchState.value = { kind: "failed", problem: messageOf(error) };
  }
}

/** Ends the search at the hosts; what was found stays. */
export function cancelSearch(): void {
  running.abort();
  if (searchState.peek().kind === "running") searchState.value = { kind: "cancelled" };
}

export function foldProcess(name: string, isFolded: boolean): void {
  const { all } = results.peek();
  all.fold(name, isFolded);
  changed(all);
}

/** Shows or hides the lines around a hit. */
export async function toggleContext({ id, hit }: FoundHit): Promise<void> {
  const { all } = results.peek();
  if (all.context(id) !== undefined) {
    all.setContext(id, null);
    changed(all);
    return;
  }
  all.setContext(id, { kind: "loading" });
  changed(all);
  const found = await hitWithContext(hit).catch((error: unknown) => messageOf(error));
  // The user may have closed it meanwhile.
  if (all.context(id) === undefined) return;
  all.setContext(id, typeof found === "string" ? { kind: "problem", text: found } : { kind: "lines", ...found });
  changed(all);
}

/** Searches for the line again, with the lines around it. Rejects if it cannot be searched; resolves with a text if it is gone. */
async function hitWithContext(hit: OutputHit): Promise<OutputHit | string> {
  const { pattern, isRegex, matchesCase } = searched.peek() ?? NEW_QUERY;
  // The whole line finds fewer others than the pattern does.
  const isExact = !hit.is_cut && hit.line.length <= MAX_PATTERN && !NOT_AS_WRITTEN.test(hit.line);
  const how = isExact ? {} : { regex: isRegex, ignore_case: !matchesCase };
  const hits = client.searchOutput(isExact ? hit.line : pattern, {
    ...how,
    ...searchOptionsOf(hit),
    context: CONTEXT,
  });
  for await (const found of hits) if (isSamePlace(found, hit)) return found;
  return "This line is not there any more: newer output has replaced it, or its file was rotated";
}

const searchOptionsOf = ({ name }: OutputHit) => ({ names: [name], limit: 10_000 });

/** Searches for what the address names, if that has changed. */
function readAddress(): void {
  const named = queryOfAddress(location.search);
  if (named === null || new URLSearchParams(location.search).get("view") !== "search") return;
  if (JSON.stringify(named) === JSON.stringify(searched.peek())) return;
  query.value = named;
  void startSearch();
}

readAddress();
// Runs before the page shows the view of the new address, which changes the address.
addEventListener("popstate", readAddress, { capture: true });
// Keeps the address a link to the search.
effect(() => {
  const parameters = searched.value === null ? [] : queryParameters(searched.value);
  if (current.value.kind !== "search") return;
  putInAddress(SEARCH_PARAMETERS, parameters);
});
