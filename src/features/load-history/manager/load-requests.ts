import type { z } from "zod";
import type { HostSession } from "../../../app/hosts/host-session.ts";
import type { HostTable } from "../../../app/hosts/host-table.ts";
import { readList } from "../../../app/hosts/list-reader.ts";
import { MgrError } from "../../../base/errors.ts";
import type { ListPage } from "../../../contract/pages.ts";
import { parseTime } from "../../../protocol/time.ts";
import { DEFAULT_POINTS } from "../series.ts";

/** Default length of a history, milliseconds. */
const DEFAULT_RANGE_MS = 3_600_000;

/** The answers of a request's hosts, and the hosts that could not be asked. */
export interface Gathered<T> {
  readonly answers: readonly { readonly host: string; readonly rows: readonly T[] }[];
  readonly away: string[];
}

/** Requests a list of every host. A host that fails counts as away. */
export async function ofAllHosts<T>(
  hosts: HostTable,
  make: (session: HostSession) => Promise<ListPage>,
  page: z.ZodType<T[]>,
): Promise<Gathered<T>> {
  const asked = [...hosts].map(
    async ([
      host,
      {
        controller: { session },
      },
    ]) => ({ host, rows: await readList(session, await make(session), page) }),
  );
  const outcomes = await Promise.allSettled(asked);
  return {
    answers: outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : [])),
    away: [...hosts.keys()].filter((_, index) => outcomes[index]?.status === "rejected"),
  };
}

/** Throws `bad_field` for a range that is empty. */
export function rangeOf(
  { from, until, points = DEFAULT_POINTS }: { from?: string; until?: string; points?: number },
  now: number,
): { from: number; until: number; points: number } {
  const end = until === undefined ? now : parseTime(until);
  const begin = from === undefined ? end - DEFAULT_RANGE_MS : parseTime(from);
  if (begin >= end) throw new MgrError("bad_field", "'from' has to be before 'until'");
  return { from: begin, until: end, points };
}
