import type { RetainedOutput } from "../../actors/control.ts";
import type { HostSession } from "../hosts/host-session.ts";
import { type RingPart, ringParts } from "./ring-parts.ts";

/** Bytes of blanks that are sent at once. */
const FILLER_BYTES = 64 * 1024;

/** Reads all output that the host keeps of a process, page by page, so that hundreds of megabytes are never in memory at once. */
export async function retainedOutput(session: HostSession, name: string): Promise<RetainedOutput> {
  const { link } = session;
  const { until } = await session.command((id) => link.request("tail", { session: id, name, lines: 1 }));
  if (until === 0) return { size: 0, pages: noPages() };
  // Reading from 0 answers with the oldest bytes that are still there.
  const parts = ringParts(session, name, 0, until);
  const { value: first } = await parts.next();
  const start = Math.min(first?.from ?? until, until);
  return { size: until - start, pages: pagesOf({ start, until, first: first?.data ?? new Uint8Array(0), parts }) };
}

interface Reading {
  readonly start: number;
  readonly until: number;
  readonly first: Uint8Array;
  readonly parts: AsyncIterable<RingPart>;
}

/** Yields exactly the announced number of bytes: bytes that the ring lost meanwhile are replaced by a note and blanks. */
async function* pagesOf({ start, until, first, parts }: Reading): AsyncGenerator<Uint8Array> {
  const opening = first.subarray(0, until - start);
  yield opening;
  let position = start + opening.length;
  for await (const part of parts) {
    if (part.data.length === 0) break;
    const from = Math.min(part.from, until);
    if (from > position) yield* filler(from - position);
    const data = part.data.subarray(0, until - from);
    if (data.length > 0) yield data;
    position = from + data.length;
  }
  if (position < until) yield* filler(until - position);
}

function* filler(bytes: number): Generator<Uint8Array> {
  const note = Buffer.from(`\n[${bytes} bytes were overwritten by newer output while this was read]\n`);
  yield note.subarray(0, bytes);
  const blanks = Buffer.alloc(FILLER_BYTES, " ");
  for (let left = bytes - note.length; left > 0; left -= FILLER_BYTES) yield blanks.subarray(0, Math.min(left, FILLER_BYTES));
}

async function* noPages(): AsyncGenerator<Uint8Array> {}
