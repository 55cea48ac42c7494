/** A sample that waits for the link. */
export interface KeptSample {
  /** When the broker received it, nanoseconds since 1970. */
  readonly received: bigint;
  /** The header block with which it was published; empty: it had none. */
  readonly headers: Uint8Array;
  readonly payload: Uint8Array;
}

/** Bytes before the headers: length of what follows (u32), time (u64), length of the headers (u32), little-endian. */
export const HEAD_BYTES = 16;

/** When the sample that begins at this place of a file was received. */
export const receivedOf = (bytes: Buffer, at: number): bigint => bytes.readBigUInt64LE(at + 4);

export function encodeSample({ received, headers, payload }: KeptSample): Buffer {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + headers.length + payload.length);
  bytes.writeUInt32LE(bytes.length - 4, 0);
  bytes.writeBigUInt64LE(received, 4);
  bytes.writeUInt32LE(headers.length, 12);
  bytes.set(headers, HEAD_BYTES);
  bytes.set(payload, HEAD_BYTES + headers.length);
  return bytes;
}

/** The samples of a file. `end`: length of the whole ones; a daemon that was killed may have left a part of one behind them. */
export function decodeSamples(bytes: Buffer): { readonly samples: KeptSample[]; readonly end: number } {
  const samples: KeptSample[] = [];
  let at = 0;
  while (at + HEAD_BYTES <= bytes.length) {
    const end = at + 4 + bytes.readUInt32LE(at);
    const payload = at + HEAD_BYTES + bytes.readUInt32LE(at + 12);
    if (payload > end || end > bytes.length) break;
    samples.push({
      received: receivedOf(bytes, at),
      headers: bytes.subarray(at + HEAD_BYTES, payload),
      payload: bytes.subarray(payload, end),
    });
    at = end;
  }
  return { samples, end: at };
}
