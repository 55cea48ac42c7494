import { z } from "zod";
import { MgrError } from "../base/errors.ts";
import { count, session } from "./fields.ts";

/** Most bytes of an output, a file or a ring in one answer. */
export const MAX_PART_BYTES = 256 * 1024;
/** Requests bytes from an offset on; the answer may have fewer than `max`. */
export const byteRange = { from: count, max: z.int().min(0).max(MAX_PART_BYTES) } as const;

/** Largest number of pages of one list: more than the pages of the longest list that a host sends. */
const MAX_PAGES = 10_000;

/** Requests a page of a list: the first one, or the one with this name, which the page before has given. */
export const pageRequest = z.object({ session, after: z.string().nullable() });
/** Name of the page after this one; null: this was the last one. */
export const nextPage = z.string().nullable();

/**
 * The first page of a list, as JSON of its rows; the others are requested with `list_page`. A list is removed after its last page was sent, or
 * after a time limit; then the answer is `not_found`.
 */
export const listPage = { data: z.instanceof(Uint8Array), next: nextPage } as const;
const wholePage = z.object(listPage);
export type ListPage = z.infer<typeof wholePage>;
export const LIST_REQUESTS = { list_page: { request: pageRequest, response: wholePage } } as const;

/** Page of a list without rows. */
export const EMPTY_LIST: ListPage = { data: new TextEncoder().encode("[]"), next: null };

/** `request` gets null for the first page. */
export async function* pagesOf<P extends { readonly next: string | null }>(
  request: (after: string | null) => Promise<P>,
): AsyncGenerator<P> {
  let after: string | null = null;
  for (let count = 0; count < MAX_PAGES; count++) {
    const page: P = await request(after);
    yield page;
    if (page.next === null) return;
    after = page.next;
  }
  throw new MgrError("too_large", `the list has more than ${MAX_PAGES} pages`);
}
