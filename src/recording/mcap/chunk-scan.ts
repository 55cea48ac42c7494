import { crc32 } from "node:zlib";
import { McapStreamReader, Opcode, type TypedMcapRecord } from "@mcap/core";
import { Chunk } from "./chunk.ts";
import type { Summary } from "./summary.ts";

/** Opcode and length of a record, bytes. */
export const RECORD_HEAD_BYTES = 9;
/** Of a chunk without compression: the records begin here. */
const CHUNK_RECORDS_AT = 49;
const MESSAGE_HEAD_BYTES = 31;

/** A chunk record that was read from a file, whole or only its beginning. */
export interface ScannedChunk {
  readonly start: bigint;
  readonly end: bigint;
  readonly messages: ReadonlyMap<number, number>;
  /** All of it is there, and its checksum is right. */
  readonly isWhole: boolean;
  /** What is there of it as a chunk of its own. */
  rebuilt(): Chunk;
}

/**
 * Reads a chunk record. `record` may be its beginning only: then the messages that are complete count. Schemas and channels go to `summary`.
 * Null: it is not one of our chunks.
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
    // A page that never reached the disk reads as zeros.
    if (message === null || !summary.channels.has(message.channel) || message.logTime < start || message.logTime > end) break;
    messages.set(message.channel, (messages.get(message.channel) ?? 0) + 1);
    if (!isWhole) chunk.addMessage(message);
  }
  return { start, end, messages, isWhole, rebuilt: () => (isWhole ? copyOf(records) : chunk) };
}

/** Of a record that begins at `at`, with its head; null: the head is not complete, or it is none. */
export function sizeOfRecord(bytes: Buffer, at: number): number | null {
  if (bytes.length - at < RECORD_HEAD_BYTES || bytes[at] === 0) return null;
  const length = bytes.readBigUInt64LE(at + 1);
  return length > BigInt(Number.MAX_SAFE_INTEGER) ? null : RECORD_HEAD_BYTES + Number(length);
}

/** One record; null if it is malformed. */
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
