import { MAX_PART_BYTES } from "../../contract/pages.ts";
import type { HostSession } from "../hosts/host-session.ts";

/** Bytes of the ring of `name`. Where `from` is later than the end of the part before, the ring has dropped the bytes between. */
export interface RingPart {
  readonly from: number;
  readonly data: Uint8Array;
}

/** Reads the bytes of a ring between two offsets, part by part. An empty last part means that the ring ended early. */
export async function* ringParts(session: HostSession, name: string, from: number, until: number): AsyncGenerator<RingPart> {
  for (let position = from; position < until; ) {
    const range = { from: position, max: Math.min(MAX_PART_BYTES, until - position) };
    const part = await session.command((id) => session.link.request("read", { session: id, name, ...range }));
    yield part;
    if (part.data.length === 0) return;
    position = part.from + part.data.length;
  }
}
