import type { z } from "zod";
import type { ListPage } from "../../contract/pages.ts";
import type { HostSession } from "./host-session.ts";
import { readList } from "./list-reader.ts";

/** The answers of the hosts, and the hosts that could not be asked. */
export interface Answers<T> {
  readonly answers: readonly { readonly host: string; readonly value: T }[];
  readonly away: string[];
}

/** The rows of the hosts, and the hosts that could not be asked. */
export interface Gathered<T> {
  readonly answers: readonly { readonly host: string; readonly rows: readonly T[] }[];
  readonly away: string[];
}

/** Hosts by name, such as the `HostTable`. */
type Hosts = Iterable<readonly [string, { readonly controller: { readonly session: HostSession } }]>;

/** Requests something of every host. A host that fails counts as away. */
export async function askAllHosts<T>(hosts: Hosts, ask: (session: HostSession) => Promise<T>): Promise<Answers<T>> {
  const all = [...hosts];
  const outcomes = await Promise.allSettled(all.map(async ([host, { controller }]) => ({ host, value: await ask(controller.session) })));
  return {
    answers: outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : [])),
    away: all.flatMap(([host], index) => (outcomes[index]?.status === "rejected" ? host : [])),
  };
}

/** Requests a list of every host. A host that fails counts as away. */
export async function ofAllHosts<T>(
  hosts: Hosts,
  make: (session: HostSession) => Promise<ListPage>,
  page: z.ZodType<T[]>,
): Promise<Gathered<T>> {
  const { answers, away } = await askAllHosts(hosts, async (session) => readList(session, await make(session), page));
  return { answers: answers.map(({ host, value }) => ({ host, rows: value })), away };
}
