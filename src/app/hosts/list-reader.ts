import type { z } from "zod";
import { jsonOf } from "../../bus/client/rpc-envelope.ts";
import type { HostLink } from "../../contract/host-link.ts";
import { type ListPage, pagesOf } from "../../contract/pages.ts";
import type { HostSession } from "./host-session.ts";

type Session = Pick<HostSession, "command"> & { readonly link: Pick<HostLink, "request"> };

/** All rows of a list. `first` is its first page, as the host answered it. Rejects as commands of a session do. */
export async function readList<Row>(session: Session, first: ListPage, rows: z.ZodType<Row[]>): Promise<Row[]> {
  const pages = pagesOf(async (after) =>
    after === null ? first : session.command((id) => session.link.request("list_page", { session: id, after })),
  );
  const read: Row[] = [];
  for await (const { data } of pages) for (const row of rows.parse(jsonOf(data))) read.push(row);
  return read;
}
