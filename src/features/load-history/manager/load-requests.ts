import type { z } from "zod";
import type { HostSession } from "../../../app/hosts/host-session.ts";
import type { HostTable } from "../../../app/hosts/host-table.ts";
import { MgrError } from "../../../base/errors.ts";
import { jsonOf } from "../../../bus/client/rpc-envelope.ts";
import { parseTime } from "../../../protocol/time.ts";
import { DEFAULT_POINTS } from "../series.ts";

/** Default length of a history, milliseconds. */
const DEFAULT_RANGE_MS = 3_600_000;

/** What the hosts of a request answered, and which could not be asked. */
export interface Gathered<T> {
  readonly answers: readonly { readonly host: string; readonly rows: readonly T[] }[];
  readonly away: string[];
}

interface MadeList {
  readonly list: string;
  readonly pages: number;
}

/** Requests a list of every host. A host that fails counts as away. */
export async function ofAllHosts<T>(
  hosts: HostTable,
  make: (session: HostSession) => Promise<MadeList>,
  page: z.ZodType<T[]>,
): Promise<Gathered<T>> {
  const asked = [...hosts].map(async ([host, { controller }]) => ({ host, rows: await rowsOf(controller.session, make, page) }));
  const outcomes = await Promise.allSettled(asked);
  return {
    answers: outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : [])),
    away: [...hosts.keys()].filter((_, index) => outcomes[index]?.status === "rejected"),
  };
}

/** The rows of a list of one host, page by page. */
export async function rowsOf<T>(
  session: HostSession,
  make: (session: HostSession) => Promise<MadeList>,
  schema: z.ZodType<T[]>,
): Promise<T[]> {
  const { list, pages } = await make(session);
  const rows: T[] = [];
  for (let page = 0; page < pages; page++) {
    const { data } = await session.command((id) => session.link.request("load_page", { session: id, list, page }));
    rows.push(...schema.parse(jsonOf(data)));
  }
  return rows;
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
