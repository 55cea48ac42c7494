import type { RetainedOutput } from "../../actors/control.ts";
import type { HostSession } from "../hosts/host-session.ts";

/** Bytes per request: the contract's maximum. */
const PAGE_BYTES = 262_144;

/** Reads all output that the host keeps of a process, page by page, so that hundreds of megabytes are never in memory at once. */
export async function retainedOutput(session: HostSession, name: string): Promise<RetainedOutput> {
  const { link } = session;
  const read = (from: number, max: number) => session.command((id) => link.request("read", { session: id, name, from, max }));
  const { until } = await session.command((id) => link.request("tail", { session: id, name, lines: 1 }));
  if (until === 0) return { size: 0, pages: noPages() };
  // Reading from 0 answers with the oldest bytes that are still there.
  const first = await read(0, PAGE_BYTES);
  const start = Math.min(first.from, until);
  return { size: until - start, pages: pagesOf({ start, until, first: first.data, read }) };
}

interface Reading {
  readonly start: number;
  readonly until: number;
  readonly first: Uint8Array;
  readonly read: (from: number, max: number) => Promise<{ from: number; data: Uint8Array }>;
}

/** Yields exactly the announced number of bytes: bytes that the ring lost meanwhile are replaced by a note and blanks. */
async function* pagesOf({ start, until, first, read }: Reading): AsyncGenerator<Uint8Array> {
  const opening = first.subarray(0, until - start);
  yield opening;
  let position = start + opening.length;
  while (position < until) {
    const page = await read(position, Math.min(PAGE_BYTES, until - position));
    const from = page.data.length === 0 ? until : Math.min(page.from, until);
    if (from > position) yield* filler(from - position);
    const data = page.data.subarray(0, until - from);
    if (data.length > 0) yield data;
    position = from + data.length;
  }
}

function* filler(bytes: number): Generator<Uint8Array> {
  const note = Buffer.from(`\n[${bytes} bytes were overwritten by newer output while this was read]\n`);
  yield note.subarray(0, bytes);
  const blanks = Buffer.alloc(PAGE_BYTES, " ");
  for (let left = bytes - note.length; left > 0; left -= PAGE_BYTES) yield blanks.subarray(0, Math.min(left, PAGE_BYTES));
}

async function* noPages(): AsyncGenerator<Uint8Array> {}
