import type { RequestOf, ResponseOf } from "../../../../src/contract/messages.ts";
import type { HostHit } from "../../../../src/features/output-search/contract.ts";
import type { HostRig } from "../../../daemon/support/hosts.ts";

export type SearchWish = Partial<Omit<RequestOf<"search_output">, "session" | "search">> & { readonly pattern: string };

let searches = 0;

/** Begins a search of the process `p`, unless it says otherwise; resolves with its name. */
export async function beginSearch(rig: HostRig, query: SearchWish): Promise<string> {
  const search = `search-${++searches}`;
  await rig.host.request("search_output", {
    session: rig.session,
    search,
    regex: false,
    ignore_case: false,
    targets: [{ name: "p", log_file: null }],
    since_ms: null,
    until_ms: null,
    context: 0,
    limit: 1_000,
    cpu_ms: 10_000,
    ...query,
  });
  return search;
}

export function fetchHits(rig: HostRig, search: string): Promise<ResponseOf<"search_output_hits">> {
  return rig.host.request("search_output_hits", { session: rig.session, search });
}

/** All hits of a search, and how it ended. */
export async function searched(
  rig: HostRig,
  query: SearchWish,
): Promise<{ hits: HostHit[]; end: NonNullable<ResponseOf<"search_output_hits">["end"]>; searched: number }> {
  const search = await beginSearch(rig, query);
  const hits: HostHit[] = [];
  for (;;) {
    const answer = await fetchHits(rig, search);
    hits.push(...answer.hits);
    if (answer.end !== null) return { hits, end: answer.end, searched: answer.searched };
  }
}
