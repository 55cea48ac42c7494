import { randomUUID } from "node:crypto";
import type { HostSession } from "../../../app/hosts/host-session.ts";
import type { RequestOf } from "../../../contract/messages.ts";
import { type HostHit, MAX_SEARCH_CPU_MS, MAX_TARGETS, type SearchTarget } from "../contract.ts";
import type { SearchTotals } from "./search-totals.ts";

/** Size of the processes of one request, bytes of JSON: below MAX_MESSAGE_BYTES. */
const MAX_TARGETS_BYTES = 256 * 1024;

export type HostQuery = Omit<RequestOf<"search_output">, "session" | "search" | "targets" | "limit" | "cpu_ms">;

interface Options {
  readonly session: HostSession;
  readonly query: HostQuery;
  readonly targets: readonly SearchTarget[];
  readonly totals: SearchTotals;
  readonly onHits: (hits: readonly HostHit[]) => void;
  readonly signal: AbortSignal;
}

/** Searches processes of one host, some after the others within one limit of processor time. Rejects with the host's error. */
export async function searchHost({ session, query, targets, totals, onHits, signal }: Options): Promise<void> {
  const host = session.link.host;
  let cpuMs = MAX_SEARCH_CPU_MS;
  let searchedBefore = 0;
  for (const some of partsOf(targets)) {
    if (signal.aborted || totals.hitsLeft === 0) return;
    const search = randomUUID();
    const limits = { limit: totals.hitsLeft, cpu_ms: Math.max(0, cpuMs) };
    const cancel = () => {
      // A host that is lost ends its searches by itself.
      session.command((id) => session.link.request("cancel_search_output", { session: id, search })).catch(() => undefined);
    };
    signal.addEventListener("abort", cancel);
    try {
      await session.command((id) =>
        session.link.request("search_output", { session: id, search, ...query, ...limits, targets: [...some] }),
      );
      for (;;) {
        const answer = await session.command((id) => session.link.request("search_output_hits", { session: id, search }));
        if (signal.aborted) return;
        onHits(answer.hits);
        totals.searched(host, searchedBefore + answer.searched);
        if (answer.end === null) continue;
        searchedBefore += answer.searched;
        cpuMs -= answer.end.cpu_ms;
        for (const problem of answer.end.problems) totals.problem(host, problem);
        if (answer.end.stop !== null) {
          totals.truncated(host, answer.end.stop);
          return;
        }
        break;
      }
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }
}

function* partsOf(targets: readonly SearchTarget[]): Generator<readonly SearchTarget[]> {
  let part: SearchTarget[] = [];
  let bytes = 0;
  for (const target of targets) {
    const size = Buffer.byteLength(JSON.stringify(target));
    if (part.length > 0 && (part.length >= MAX_TARGETS || bytes + size > MAX_TARGETS_BYTES)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(target);
    bytes += size;
  }
  if (part.length > 0) yield part;
}
