import type { z } from "zod";
import type { ListPage } from "../../contract/pages.ts";
import type { HostSession } from "./host-session.ts";
import type { HostTable } from "./host-table.ts";
import { readList } from "./list-reader.ts";

/** The answers of a request's hosts, and the hosts that could not be asked. */
export interface Gathered<T> {
  readonly answers: readonly { readonly host: string; readonly rows: readonly T[] }[];
  readonly away: string[];
}

type Hosts = Iterable<readonly [string, { readonly controller: { readonly session: HostSession } }]>;

/** Requests a list of every host. A host that fails counts as away. */
export async function ofAllHosts<T>(
  hosts: HostTable | Hosts,
  make: (session: HostSession) => Promise<ListPage>,
  page: z.ZodType<T[]>,
): Promise<Gathered<T>> {
  const all: readonly (readonly [string, { readonly controller: { readonly session: HostSession } }])[] = [...hosts];
  const outcomes = await Promise.allSettled(
    all.map(
      async ([
        host,
        {
          controller: { session },
        },
      ]) => ({ host, rows: await readList(session, await make(session), page) }),
    ),
  );
  return {
    answers: outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : [])),
    away: all.flatMap(([host], index) => (outcomes[index]?.status === "rejected" ? host : [])),
  };
}
