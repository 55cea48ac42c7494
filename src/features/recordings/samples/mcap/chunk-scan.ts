import { crc32 } from "node:zlib";
import { McapStreamReader, Opcode, type TypedMcapRecord } from "@mcap/core";
import { Chunk } from "./chunk.ts";
import type { Summary } from "./summary.ts";

/** Size of the opcode and the length of a record, bytes. */
export const RECORD_HEAD_BYTES = 9;
/** Offset of the records in a chunk without compression. */
const CHUNK_RECORDS_AT = 49;
const MESSAGE_HEAD_BYTES = 31;

/** A chunk record that was read from a file, whole or only its beginning. */
export interface ScannedChunk {
  readonly start: bigint;
  readonly end: bigint;
  readonly messages: ReadonlyMap<number, number>;
  /** Whether the chunk is complete and its checksum is correct. */
  readonly isWhole: boolean;
  /** Returns the complete messages as a new chunk. */
  rebuilt(): Chunk;
}

/**
 * Reads a chunk record. `record` may be only its beginning; then only complete messages count. Schemas and channels are added to `summary`. Null: it
 * is not a chunk of this program.
 */
export function scanChunk(record: Buffer, length: number, summary: Summary): ScannedChunk | null {
  if (record.length < CHUNK_RECORDS_AT || record.readUInt32LE(37) !== 0) return null;
  const recordBytes = Number(record.readBigUInt64LE(41));
  if (recordBytes !== length - CHUNK_RECORDS_AT) return null;
  const start = record.readBigUInt64LE(9);
  const end = record.readBigUInt64LE(17);
  const records = record.subarray(CHUNK_RECORDS_AT);
  const isWhole = records.length === recordBytes && crc32(records) === record.readUInt32LE(33);
  const messages = new Map<number, number>();
  const chunk = new Chunk();
  for (let at = 0; at < records.length; ) {
    const size = sizeOfRecord(records, at);
    if (size === null || at + size > records.length) break;
    const one = records.subarray(at, at + size);
    at += size;
    if (one[0] !== Opcode.MESSAGE) {
      const parsed = parseRecord(one);
      if (parsed?.type === "Schema") summary.schemas.set(parsed.id, parsed);
      else if (parsed?.type === "Channel") summary.channels.set(parsed.id, parsed);
      else break;
      if (!isWhole) chunk.addRecord(one);
      continue;
    }
    const message = messageOf(one);
    // A page that was never written to disk reads as zeros.
    if (message === null || !summary.channels.has(message.channel) || message.logTime < start || message.logTime > end) break;
    messages.set(message.channel, (messages.get(message.channel) ?? 0) + 1);
    if (!isWhole) chunk.addMessage(message);
  }
  return { start, end, messages, isWhole, rebuilt: () => (isWhole ? copyOf(records) : chunk) };
}

/** Size of the record that begins at `at`, including its head; null: the head is incomplete or malformed. */
export function sizeOfRecord(bytes: Buffer, at: number): number | null {
  if (bytes.length - at < RECORD_HEAD_BYTES || bytes[at] === 0) return null;
  const length = bytes.readBigUInt64LE(at + 1);
  return length > BigInt(Number.MAX_SAFE_INTEGER) ? null : RECORD_HEAD_BYTES + Number(length);
}

/** Parses one record; null if it is malformed. */
export function parseRecord(bytes: Uint8Array): TypedMcapRecord | null {
  try {
    const reader = new McapStreamReader({ noMagicPrefix: true });
    reader.append(bytes);
    return reader.nextRecord() ?? null;
  } catch {
    return null;
  }
}

function copyOf(records: Buffer): Chunk {
  const chunk = new Chunk();
  for (let at = 0; at < records.length; ) {
    const size = sizeOfRecord(records, at);
    if (size === null) break;
    const one = records.subarray(at, at + size);
    const message = one[0] === Opcode.MESSAGE ? messageOf(one) : null;
    if (message === null) chunk.addRecord(one);
    else chunk.addMessage(message);
    at += size;
  }
  return chunk;
}

function messageOf(record: Buffer) {
  if (record.length < MESSAGE_HEAD_BYTES) return null;
  return {
    channel: record.readUInt16LE(9),
    sequence: BigInt(record.readUInt32LE(11)),
    logTime: record.readBigUInt64LE(15),
    publishTime: record.readBigUInt64LE(23),
    data: record.subarray(MESSAGE_HEAD_BYTES),
  };
}
