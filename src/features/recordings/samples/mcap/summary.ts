import { crc32 } from "node:zlib";
import {
  type Channel,
  type ChunkIndex,
  type McapRecordBuilder,
  McapStreamReader,
  Opcode,
  type Schema,
  type TypedMcapRecord,
} from "@mcap/core";
import { recordBytes } from "./chunk.ts";

/** Size of the footer before its checksum (opcode, length, two offsets), bytes; the checksum covers all but itself. */
const FOOTER_BYTES_BEFORE_CRC = 25;

/** The index at the end of a file, collected while the file is written or repaired. */
export class Summary {
  readonly schemas = new Map<number, Schema>();
  readonly channels = new Map<number, Channel>();
  readonly #counts = new Map<number, bigint>();
  readonly #metadata: { offset: bigint; length: bigint; name: string }[] = [];
  /** Chunk indexes, kept encoded because a long recording has many. */
  readonly #chunks: Uint8Array[] = [];
  #chunkBytes = 0;
  #messages = 0n;
  #start = 0n;
  #end = 0n;

  /** Memory of the index, bytes. */
  get indexBytes(): number {
    return this.#chunkBytes;
  }

  get messages(): number {
    return Number(this.#messages);
  }

  /** Times of the first and the last message, nanoseconds; null: there is no message. */
  get times(): { readonly start: bigint; readonly end: bigint } | null {
    return this.#messages === 0n ? null : { start: this.#start, end: this.#end };
  }

  countOf(channel: number): number {
    return Number(this.#counts.get(channel) ?? 0n);
  }

  addChunk(index: ChunkIndex, messages: ReadonlyMap<number, number>): void {
    this.#addIndex(index);
    for (const [channel, count] of messages) {
      if (this.#messages === 0n || index.messageStartTime < this.#start) this.#start = index.messageStartTime;
      if (this.#messages === 0n || index.messageEndTime > this.#end) this.#end = index.messageEndTime;
      this.#messages += BigInt(count);
      this.#counts.set(channel, (this.#counts.get(channel) ?? 0n) + BigInt(count));
    }
  }

  addMetadata(name: string, offset: number, length: number): void {
    this.#metadata.push({ offset: BigInt(offset), length: BigInt(length), name });
  }

  /** Continues the index of a file that was begun before, from its bytes as `close` returns them. Throws if they are malformed. */
  static restored(bytes: Uint8Array): Summary {
    const summary = new Summary();
    const reader = new McapStreamReader({ noMagicPrefix: true });
    reader.append(bytes);
    for (let record = reader.nextRecord(); record !== undefined && record.type !== "Footer"; record = reader.nextRecord())
      summary.#add(record);
    return summary;
  }

  #add(record: TypedMcapRecord): void {
    switch (record.type) {
      case "Schema":
        this.schemas.set(record.id, record);
        break;
      case "Channel":
        this.channels.set(record.id, record);
        break;
      case "MetadataIndex":
        this.#metadata.push(record);
        break;
      case "ChunkIndex":
        this.#addIndex(record);
        break;
      case "Statistics":
        this.#messages = record.messageCount;
        this.#start = record.messageStartTime;
        this.#end = record.messageEndTime;
        for (const [channel, messages] of record.channelMessageCounts) this.#counts.set(channel, messages);
        break;
      default:
    }
  }

  #addIndex(index: ChunkIndex): void {
    const bytes = recordBytes((builder) => builder.writeChunkIndex(index));
    this.#chunks.push(bytes);
    this.#chunkBytes += bytes.length;
  }

  /** The bytes after the data, which ends at `position`: from the data end record to the closing magic. */
  close(position: number): Uint8Array[] {
    const dataEnd = recordBytes((builder) => builder.writeDataEnd({ dataSectionCrc: 0 }));
    const summaryStart = position + dataEnd.length;
    const groups: { opcode: number; bytes: Uint8Array }[] = [
      this.#group(Opcode.SCHEMA, (builder) => {
        for (const schema of this.schemas.values()) builder.writeSchema(schema);
      }),
      this.#group(Opcode.CHANNEL, (builder) => {
        for (const channel of this.channels.values()) builder.writeChannel(channel);
      }),
      this.#group(Opcode.STATISTICS, (builder) => builder.writeStatistics(this.#statistics())),
      this.#group(Opcode.METADATA_INDEX, (builder) => {
        for (const index of this.#metadata) builder.writeMetadataIndex(index);
      }),
      { opcode: Opcode.CHUNK_INDEX, bytes: Buffer.concat(this.#chunks) },
    ].filter(({ bytes }) => bytes.length > 0);
    let offset = summaryStart;
    const offsets = this.#group(Opcode.SUMMARY_OFFSET, (builder) => {
      for (const { opcode, bytes } of groups) {
        builder.writeSummaryOffset({ groupOpcode: opcode, groupStart: BigInt(offset), groupLength: BigInt(bytes.length) });
        offset += bytes.length;
      }
    });
    const footerOf = (summaryCrc: number) =>
      recordBytes((builder) => builder.writeFooter({ summaryStart: BigInt(summaryStart), summaryOffsetStart: BigInt(offset), summaryCrc }));
    const covered = [...groups.map(({ bytes }) => bytes), offsets.bytes, footerOf(0).subarray(0, FOOTER_BYTES_BEFORE_CRC)];
    const summaryCrc = covered.reduce((crc, bytes) => crc32(bytes, crc), 0);
    return [
      dataEnd,
      ...groups.map(({ bytes }) => bytes),
      offsets.bytes,
      footerOf(summaryCrc),
      recordBytes((builder) => builder.writeMagic()),
    ];
  }

  #group(opcode: number, write: (builder: McapRecordBuilder) => void) {
    return { opcode, bytes: recordBytes(write) };
  }

  #statistics() {
    return {
      messageCount: this.#messages,
      schemaCount: this.schemas.size,
      channelCount: this.channels.size,
      attachmentCount: 0,
      metadataCount: this.#metadata.length,
      chunkCount: this.#chunks.length,
      messageStartTime: this.#start,
      messageEndTime: this.#end,
      channelMessageCounts: this.#counts,
    };
  }
}
