import { crc32 } from "node:zlib";
import { McapRecordBuilder, Opcode } from "@mcap/core";

/** Opcode, length, channel, sequence, log time and publish time of a message record, bytes. */
const MESSAGE_HEAD_BYTES = 31;
/** Opcode, length, channel and byte count of a message index record, bytes. */
const INDEX_HEAD_BYTES = 15;
const INDEX_ENTRY_BYTES = 16;
/** Opcode, two times, size, checksum, empty compression and byte count of a chunk record, and its length; bytes. */
const CHUNK_HEAD_BYTES = 49;
const FIRST_BYTES = 64 * 1024;
const FIRST_ENTRIES = 64;

/** One message of a channel, as a recording holds it. */
export interface McapMessage {
  readonly channel: number;
  /** Only the lower 32 bits are stored. */
  readonly sequence: bigint;
  /** Nanoseconds since 1970. */
  readonly logTime: bigint;
  readonly publishTime: bigint;
  readonly data: Uint8Array;
}

/** Message index of one channel of a chunk. */
interface ChannelIndex {
  buffer: Buffer<ArrayBuffer>;
  view: DataView;
  entries: number;
}

/** A closed chunk with its message indexes, as written to a file. */
export interface ClosedChunk {
  /** Chunk record and message index records, in this order. */
  readonly pieces: readonly Uint8Array[];
  readonly bytes: number;
  /** Size of the chunk record alone, bytes. */
  readonly chunkBytes: number;
  /** Uncompressed bytes of the records. */
  readonly recordBytes: number;
  readonly start: bigint;
  readonly end: bigint;
  /** Offset of each channel's message index from the beginning of the chunk. */
  readonly indexes: ReadonlyMap<number, number>;
  readonly messages: ReadonlyMap<number, number>;
}

/**
 * Collects messages for one chunk. The builders of @mcap/core are not used: they need an object per message, a call per field and two more copies of
 * the chunk (bench/recording.ts).
 */
export class Chunk {
  #buffer = Buffer.allocUnsafe(FIRST_BYTES);
  /** View of the buffer. V8 compiles its 64-bit writes inline, but not those of Buffer: 30 % more messages of 68 bytes (bench/recording.ts). */
  #view = viewOf(this.#buffer);
  #length = 0;
  readonly #indexes = new Map<number, ChannelIndex>();
  #start = 0n;
  #end = 0n;
  #messages = 0;

  /** Size of the records so far, bytes. */
  get length(): number {
    return this.#length;
  }

  get isEmpty(): boolean {
    return this.#messages === 0;
  }

  /** Adds a schema or channel record. */
  addRecord(record: Uint8Array): void {
    this.#reserve(record.length);
    this.#buffer.set(record, this.#length);
    this.#length += record.length;
  }

  addMessage({ channel, sequence, logTime, publishTime, data }: McapMessage): void {
    const size = MESSAGE_HEAD_BYTES + data.length;
    this.#reserve(size);
    const view = this.#view;
    const at = this.#length;
    view.setUint8(at, Opcode.MESSAGE);
    setLength(view, size - 9, at + 1);
    view.setUint16(at + 9, channel, true);
    view.setUint32(at + 11, Number(BigInt.asUintN(32, sequence)), true);
    view.setBigUint64(at + 15, logTime, true);
    view.setBigUint64(at + 23, publishTime, true);
    this.#buffer.set(data, at + MESSAGE_HEAD_BYTES);
    this.#length += size;
    this.#index(channel, logTime, at);
    if (this.#messages === 0 || logTime < this.#start) this.#start = logTime;
    if (this.#messages === 0 || logTime > this.#end) this.#end = logTime;
    this.#messages++;
  }

  /** Encodes the chunk. This object must not be used afterwards. */
  close(): ClosedChunk {
    const records = this.#buffer.subarray(0, this.#length);
    const head = Buffer.allocUnsafe(CHUNK_HEAD_BYTES);
    head[0] = Opcode.CHUNK;
    writeLength(head, CHUNK_HEAD_BYTES - 9 + records.length, 1);
    head.writeBigUInt64LE(this.#start, 9);
    head.writeBigUInt64LE(this.#end, 17);
    writeLength(head, records.length, 25);
    head.writeUInt32LE(crc32(records), 33);
    head.writeUInt32LE(0, 37);
    writeLength(head, records.length, 41);
    const chunkBytes = head.length + records.length;
    const pieces: Uint8Array[] = [head, records];
    const indexes = new Map<number, number>();
    const messages = new Map<number, number>();
    let bytes = chunkBytes;
    for (const [channel, { buffer, entries }] of this.#indexes) {
      const piece = buffer.subarray(0, INDEX_HEAD_BYTES + entries * INDEX_ENTRY_BYTES);
      piece[0] = Opcode.MESSAGE_INDEX;
      writeLength(piece, piece.length - 9, 1);
      piece.writeUInt16LE(channel, 9);
      piece.writeUInt32LE(entries * INDEX_ENTRY_BYTES, 11);
      indexes.set(channel, bytes);
      messages.set(channel, entries);
      pieces.push(piece);
      bytes += piece.length;
    }
    return { pieces, bytes, chunkBytes, recordBytes: records.length, start: this.#start, end: this.#end, indexes, messages };
  }

  #index(channel: number, time: bigint, offset: number): void {
    let index = this.#indexes.get(channel);
    if (index === undefined) {
      const buffer = Buffer.allocUnsafe(INDEX_HEAD_BYTES + FIRST_ENTRIES * INDEX_ENTRY_BYTES);
      index = { buffer, view: viewOf(buffer), entries: 0 };
      this.#indexes.set(channel, index);
    }
    const at = INDEX_HEAD_BYTES + index.entries * INDEX_ENTRY_BYTES;
    if (at + INDEX_ENTRY_BYTES > index.buffer.length) {
      index.buffer = grown(index.buffer, at, at + INDEX_ENTRY_BYTES);
      index.view = viewOf(index.buffer);
    }
    index.view.setBigUint64(at, time, true);
    setLength(index.view, offset, at + 8);
    index.entries++;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#buffer.length) return;
    this.#buffer = grown(this.#buffer, this.#length, needed);
    this.#view = viewOf(this.#buffer);
  }
}

/** The bytes of the records that `write` makes. */
export function recordBytes(write: (builder: McapRecordBuilder) => void): Uint8Array {
  const builder = new McapRecordBuilder();
  write(builder);
  return builder.buffer;
}

function writeLength(buffer: Buffer<ArrayBuffer>, length: number, at: number): void {
  setLength(viewOf(buffer), length, at);
}

/** Writes a 64-bit length below 2^53 without a bigint. */
function setLength(view: DataView, length: number, at: number): void {
  view.setUint32(at, length % 0x1_0000_0000, true);
  view.setUint32(at + 4, Math.floor(length / 0x1_0000_0000), true);
}

function viewOf({ buffer, byteOffset, length }: Buffer<ArrayBuffer>): DataView {
  return new DataView(buffer, byteOffset, length);
}

function grown(buffer: Buffer, used: number, needed: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafe(Math.max(needed, buffer.length * 2));
  buffer.copy(larger, 0, 0, used);
  return larger;
}
