import { STREAM_CHUNK, type StreamFrame, type StreamFrameKind } from "../../contract/streams.ts";

/** Frames of streams as bytes, numbers big-endian: u8 version (1) · u8 kind · u64 offset · u8 length of stream · stream · data */
const VERSION = 1;
const FIXED = 11;
const KINDS: readonly StreamFrameKind[] = ["data", "end", "credit", "resend", "probe", "reset"];

export function encodeStreamFrame({ stream, kind, offset, data }: StreamFrame): Uint8Array {
  const id = Buffer.from(stream);
  const bytes = Buffer.allocUnsafe(FIXED + id.length + data.length);
  bytes.writeUInt8(VERSION, 0);
  bytes.writeUInt8(KINDS.indexOf(kind), 1);
  bytes.writeBigUInt64BE(BigInt(offset), 2);
  bytes.writeUInt8(id.length, 10);
  bytes.set(id, FIXED);
  bytes.set(data, FIXED + id.length);
  return bytes;
}

/** Returns null for bytes that are no frame. `data` is a view of `message`. */
export function decodeStreamFrame(message: Uint8Array): StreamFrame | null {
  if (message.length < FIXED || message[0] !== VERSION) return null;
  const view = new DataView(message.buffer, message.byteOffset, message.length);
  const kind = KINDS[view.getUint8(1)];
  const offset = Number(view.getBigUint64(2));
  const dataStart = FIXED + view.getUint8(10);
  if (kind === undefined || !Number.isSafeInteger(offset) || dataStart > message.length || message.length - dataStart > STREAM_CHUNK)
    return null;
  const stream = Buffer.from(message.subarray(FIXED, dataStart)).toString("latin1");
  return { stream, kind, offset, data: message.subarray(dataStart) };
}
