import { MgrError } from "../base/errors.ts";
import type { Sample } from "./samples.ts";

/** Length, received, published, sequence (docs/recordings.md, "raw"). */
export const RECORD_HEADER_BYTES = 4 + 8 + 8 + 8;
/** Longest payload that is read, bytes: the largest `bus.max_payload`. */
const MAX_PAYLOAD_BYTES = 64 * 1024 * 1024;
const NONE = -1n;

type RecordTimes = Pick<Sample, "received" | "published" | "sequence">;

/**
 * The header of a record: little-endian `u32 length | u64 received | i64 published (-1: none) | i64 sequence (-1: none)`. The payload follows,
 * `length` bytes.
 */
export function recordHeader({ received, published, sequence }: RecordTimes, length: number): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(RECORD_HEADER_BYTES);
  const view = new DataView(header.buffer);
  view.setUint32(0, length, true);
  view.setBigUint64(4, received, true);
  view.setBigInt64(12, published ?? NONE, true);
  view.setBigInt64(20, sequence ?? NONE, true);
  return header;
}

export function encodeRecord(sample: Sample): Uint8Array {
  const { payload } = sample;
  const header = recordHeader(sample, payload?.length ?? 0);
  return payload === null ? header : joined(header, payload);
}

/** The samples of records that come in pieces of any size. A payload is valid until the next sample. Throws `bad_field` for records that are cut off. */
export async function* decodeRecords(pieces: AsyncIterable<Uint8Array>, onlyTimes: boolean): AsyncGenerator<Sample> {
  let rest = new Uint8Array(0);
  for await (const piece of pieces) {
    const bytes = rest.length === 0 ? piece : joined(rest, piece);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let at = 0;
    while (bytes.length - at >= RECORD_HEADER_BYTES) {
      const length = view.getUint32(at, true);
      if (length > MAX_PAYLOAD_BYTES) throw damaged(`a payload of ${length} bytes`);
      const end = at + RECORD_HEADER_BYTES + length;
      if (end > bytes.length) break;
      const payload = bytes.subarray(at + RECORD_HEADER_BYTES, end);
      yield {
        received: view.getBigUint64(at + 4, true),
        published: given(view.getBigInt64(at + 12, true)),
        sequence: given(view.getBigInt64(at + 20, true)),
        payload: onlyTimes ? null : payload,
      };
      at = end;
    }
    rest = bytes.slice(at);
  }
  if (rest.length > 0) throw damaged("an incomplete record at the end");
}

function given(value: bigint): bigint | null {
  return value === NONE ? null : value;
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

function damaged(what: string): MgrError {
  return new MgrError("bad_field", `the recorded samples are damaged: ${what}. Download them again.`);
}
