import { MgrError } from "../../../base/errors.ts";
import type { Sample } from "./samples.ts";

/** Size of length, received, published and sequence, bytes (docs/recordings.md, "raw"). */
export const RECORD_HEADER_BYTES = 4 + 8 + 8 + 8;
/** Maximum size of a payload, bytes: the largest `bus.max_payload`. */
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

/**
 * Decodes the samples of records that come in pieces of any size. A payload is valid until the next sample, a piece until the next piece. Throws
 * `bad_field` for damaged records.
 */
export async function* decodeRecords(pieces: AsyncIterable<Uint8Array>, onlyTimes: boolean): AsyncGenerator<Sample> {
  const window = new RecordWindow();
  for await (const piece of pieces) {
    window.append(piece);
    const { bytes, view } = window;
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
    window.drop(at);
  }
  if (window.bytes.length > 0) throw damaged("an incomplete record at the end");
}

function given(value: bigint): bigint | null {
  return value === NONE ? null : value;
}

function damaged(what: string): MgrError {
  return new MgrError("bad_field", `the recorded samples are damaged: ${what}. Download them again.`);
}

/**
 * Bytes of the records that are being read. One buffer is used for all pieces: with a new one for each piece, a large download makes garbage faster
 * than it is collected, and memory grows by tens of MiB.
 */
class RecordWindow {
  #buffer = new Uint8Array(0);
  #size = 0;

  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#size);
  }

  get view(): DataView {
    return new DataView(this.#buffer.buffer, 0, this.#size);
  }

  append(piece: Uint8Array): void {
    const size = this.#size + piece.length;
    if (size > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(size, this.#buffer.length * 2));
      larger.set(this.bytes);
      this.#buffer = larger;
    }
    this.#buffer.set(piece, this.#size);
    this.#size = size;
  }

  /** Removes the first `count` bytes. */
  drop(count: number): void {
    this.#buffer.copyWithin(0, count, this.#size);
    this.#size -= count;
  }
}
