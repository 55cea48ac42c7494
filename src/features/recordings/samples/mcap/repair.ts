import { type FileHandle, open } from "node:fs/promises";
import { MCAP_MAGIC, Opcode } from "@mcap/core";
import { recordBytes } from "./chunk.ts";
import { parseRecord, RECORD_HEAD_BYTES, type ScannedChunk, scanChunk, sizeOfRecord } from "./chunk-scan.ts";
import { metadataRecord } from "./encoder.ts";
import { Summary } from "./summary.ts";

/**
 * Maximum size of a record, bytes. This program writes no longer ones: a chunk is closed after one message beyond its limit, and messages have at
 * most 64 MiB.
 */
const MAX_RECORD_BYTES = 256 * 1024 * 1024;
const FOOTER_BYTES = 29;
/** Name of the metadata record that a repair adds. */
export const REPAIRED = "mgr.repaired";

/** The result of the repair of a file whose program was killed. */
export interface Repair {
  /** Bytes after the last complete message; they are cut off. */
  readonly cutBytes: number;
  readonly messages: number;
}

export interface RepairOptions {
  /** Returns another metadata record for the index of what is left of the file. */
  readonly note?: (kept: Summary) => { readonly name: string; readonly values: Readonly<Record<string, string>> };
}

/**
 * Completes a file that was not closed: everything after the last complete message is cut off, then the index is written. Works in place,
 * record by record, so that it needs neither disk space nor memory for a copy. An interrupted repair can be repeated. Null: the file was
 * complete.
 */
export async function repairMcap(path: string, options: RepairOptions = {}): Promise<Repair | null> {
  const file = await open(path, "r+");
  try {
    const { size } = await file.stat();
    if (await isComplete(file, size)) return null;
    const repair = new FileRepair(file, size, options);
    return await repair.run();
  } finally {
    await file.close();
  }
}

class FileRepair {
  readonly #file: FileHandle;
  readonly #size: number;
  readonly #options: RepairOptions;
  readonly #summary = new Summary();
  /** Data before this position is kept. */
  #position = 0;

  constructor(file: FileHandle, size: number, options: RepairOptions) {
    this.#file = file;
    this.#size = size;
    this.#options = options;
  }

  async run(): Promise<Repair> {
    await this.#scanHead();
    let isGoing = this.#position > 0;
    while (isGoing) isGoing = await this.#scanRecord();
    // Computed before the head of the file is written again, if it is missing.
    const cutBytes = Math.max(0, this.#size - this.#position);
    await this.#file.truncate(this.#position);
    if (this.#position === 0) await this.#append(head());
    const { messages } = this.#summary;
    const note = this.#options.note?.(this.#summary);
    if (note !== undefined) await this.#addMetadata(note.name, note.values);
    await this.#addMetadata(REPAIRED, { cut_bytes: String(cutBytes), messages: String(messages) });
    await this.#append(Buffer.concat(this.#summary.close(this.#position)));
    await this.#file.datasync();
    return { cutBytes, messages };
  }

  async #scanHead(): Promise<void> {
    const magic = await this.#read(0, MCAP_MAGIC.length);
    if (!magic.equals(Buffer.from(MCAP_MAGIC))) {
      // A full disk or a power failure leaves zeros or an incomplete magic. Any other file was not written by this program and is not
      // changed.
      if (magic.some((byte, at) => byte !== 0 && byte !== MCAP_MAGIC[at])) throw new Error("it is not an MCAP file");
      return;
    }
    const record = await this.#recordAt(MCAP_MAGIC.length);
    if (record?.isWhole && record.bytes[0] === Opcode.HEADER) this.#position = MCAP_MAGIC.length + record.size;
  }

  /** Scans one record; returns false if the data ends here. */
  async #scanRecord(): Promise<boolean> {
    const record = await this.#recordAt(this.#position);
    if (record === null) return false;
    const { bytes, size, isWhole } = record;
    if (bytes[0] === Opcode.CHUNK) return this.#scanChunk(bytes, size);
    if (bytes[0] !== Opcode.METADATA || !isWhole) return false;
    const metadata = parseRecord(bytes);
    if (metadata?.type !== "Metadata") return false;
    this.#summary.addMetadata(metadata.name, this.#position, size);
    this.#position += size;
    return true;
  }

  async #scanChunk(bytes: Buffer, size: number): Promise<boolean> {
    const chunk = scanChunk(bytes, size, this.#summary);
    if (chunk === null || chunk.messages.size === 0) return false;
    const indexes = chunk.isWhole ? await this.#indexesAt(this.#position + size, chunk) : null;
    if (indexes === null) {
      await this.#rebuild(chunk);
      return false;
    }
    this.#keep(chunk, size, bytes, indexes.offsets, indexes.end);
    return true;
  }

  /** Offsets of the message indexes after a chunk; null: some are missing. */
  async #indexesAt(position: number, chunk: ScannedChunk) {
    const offsets = new Map<number, bigint>();
    let end = position;
    for (let missing = chunk.messages.size; missing > 0; missing--) {
      const record = await this.#recordAt(end);
      if (record === null || !record.isWhole || record.bytes[0] !== Opcode.MESSAGE_INDEX) return null;
      const index = parseRecord(record.bytes);
      if (index?.type !== "MessageIndex" || index.records.length !== chunk.messages.get(index.channelId)) return null;
      offsets.set(index.channelId, BigInt(end));
      end += record.size;
    }
    return { offsets, end };
  }

  #keep(chunk: ScannedChunk, size: number, bytes: Buffer, offsets: Map<number, bigint>, end: number): void {
    const recordsSize = bytes.readBigUInt64LE(25);
    this.#summary.addChunk(
      {
        messageStartTime: chunk.start,
        messageEndTime: chunk.end,
        chunkStartOffset: BigInt(this.#position),
        chunkLength: BigInt(size),
        messageIndexOffsets: offsets,
        messageIndexLength: BigInt(end - this.#position - size),
        compression: "",
        compressedSize: recordsSize,
        uncompressedSize: recordsSize,
      },
      chunk.messages,
    );
    this.#position = end;
  }

  /** Replaces the incomplete last chunk by a new chunk with its complete messages. */
  async #rebuild(chunk: ScannedChunk): Promise<void> {
    const { pieces, chunkBytes, indexes, messages, start, end, bytes } = chunk.rebuilt().close();
    await this.#file.truncate(this.#position);
    const at = this.#position;
    await this.#append(Buffer.concat(pieces));
    this.#position = at;
    const offsets = new Map([...indexes].map(([channel, offset]) => [channel, BigInt(at + offset)]));
    this.#keep({ ...chunk, start, end, messages }, chunkBytes, Buffer.from(pieces[0] ?? []), offsets, at + bytes);
  }

  async #addMetadata(name: string, values: Readonly<Record<string, string>>): Promise<void> {
    const record = metadataRecord(name, values);
    this.#summary.addMetadata(name, this.#position, record.length);
    await this.#append(record);
  }

  async #append(bytes: Uint8Array): Promise<void> {
    await this.#file.write(bytes, 0, bytes.length, this.#position);
    this.#position += bytes.length;
  }

  /** A record, or its beginning if the file ends within it; null: there is none. */
  async #recordAt(position: number): Promise<{ bytes: Buffer; size: number; isWhole: boolean } | null> {
    const size = sizeOfRecord(await this.#read(position, RECORD_HEAD_BYTES), 0);
    if (size === null || size > MAX_RECORD_BYTES) return null;
    const bytes = await this.#read(position, Math.min(size, this.#size - position));
    return { bytes, size, isWhole: bytes.length === size };
  }

  async #read(position: number, length: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await this.#file.read(buffer, filled, length - filled, position + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  }
}

async function isComplete(file: FileHandle, size: number): Promise<boolean> {
  const length = FOOTER_BYTES + MCAP_MAGIC.length;
  if (size < length) return false;
  const end = Buffer.alloc(length);
  await file.read(end, 0, length, size - length);
  return end[0] === Opcode.FOOTER && end.subarray(FOOTER_BYTES).equals(Buffer.from(MCAP_MAGIC));
}

function head(): Uint8Array {
  return recordBytes((builder) => {
    builder.writeMagic();
    builder.writeHeader({ profile: "", library: "mgr" });
  });
}
