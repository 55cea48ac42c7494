import { MAX_CHUNK_BYTES, type OutputChunk } from "../../contract/messages.ts";

/**
 * Output chunks as bytes, numbers big-endian:
 *
 *   u8 version (1) · u64 offset · u64 gap · u16 length of name · u8 length of stream_id · name · stream_id · data
 */
const VERSION = 1;
const FIXED = 20;
const HIGH = 2 ** 32;
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The bytes before the data, so that the data need not be copied. */
export function encodeChunkHead(chunk: Omit<OutputChunk, "data">): Uint8Array {
  const name = Buffer.from(chunk.name);
  const streamId = Buffer.from(chunk.stream_id);
  if (name.length > 0xffff || streamId.length > 0xff) throw new RangeError(`the names of an output chunk of '${chunk.name}' are too long`);
  const bytes = Buffer.allocUnsafe(FIXED + name.length + streamId.length);
  bytes.writeUInt8(VERSION, 0);
  writeU64(bytes, chunk.offset, 1);
  writeU64(bytes, chunk.gap, 9);
  bytes.writeUInt16BE(name.length, 17);
  bytes.writeUInt8(streamId.length, 19);
  bytes.set(name, FIXED);
  bytes.set(streamId, FIXED + name.length);
  return bytes;
}

/** Returns null for bytes that are no chunk. `data` is a view of `message`. */
export function decodeChunk(message: Uint8Array): OutputChunk | null {
  if (message.length < FIXED || message[0] !== VERSION) return null;
  const view = new DataView(message.buffer, message.byteOffset, message.length);
  const offset = readU64(view, 1);
  const gap = readU64(view, 9);
  const dataStart = FIXED + view.getUint16(17) + view.getUint8(19);
  const nameEnd = FIXED + view.getUint16(17);
  if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(gap) || dataStart > message.length) return null;
  const data = message.subarray(dataStart);
  if (data.length > MAX_CHUNK_BYTES || (gap > 0 && data.length > 0)) return null;
  try {
    const name = strictUtf8.decode(message.subarray(FIXED, nameEnd));
    const streamId = strictUtf8.decode(message.subarray(nameEnd, dataStart));
    return name === "" ? null : { name, stream_id: streamId, offset, gap, data };
  } catch {
    // Not UTF-8. The caller counts malformed messages.
    return null;
  }
}

// Written without BigInt, which would allocate two objects for each chunk.
function writeU64(bytes: Buffer, value: number, at: number): void {
  bytes.writeUInt32BE(Math.floor(value / HIGH), at);
  bytes.writeUInt32BE(value % HIGH, at + 4);
}

function readU64(view: DataView, at: number): number {
  return view.getUint32(at) * HIGH + view.getUint32(at + 4);
}
