import type { Channel } from "@mcap/core";
import { Chunk, type McapMessage, recordBytes } from "./chunk.ts";
import { schemaData } from "./schema-data.ts";
import { Summary } from "./summary.ts";

/** Size at which a chunk is closed, bytes. Readers load whole chunks into memory. */
export const MAX_CHUNK_BYTES = 512 * 1024;

export interface McapChannel {
  readonly topic: string;
  /** Encoding of the messages: `json`, `cdr`, `protobuf` or `raw`. */
  readonly encoding: string;
  /** Null: the messages have no definition. Text of the encoding `protobuf` is base64. */
  readonly schema: { readonly name: string; readonly encoding: string; readonly text: string } | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Encodes one MCAP file piece by piece, in the order in which the pieces are appended to the file. It keeps one open chunk and the index in memory.
 * Returned pieces belong to the caller. McapWriter of @mcap/core is not used, because it cannot close a chunk at a given time.
 */
export class McapEncoder {
  readonly summary: Summary;
  /** Bytes of all pieces returned so far. */
  #position: number;
  #chunk = new Chunk();

  /** `position` and `summary` of a file that was begun before, between two chunks. */
  constructor(position = 0, summary = new Summary()) {
    this.#position = position;
    this.summary = summary;
  }

  get position(): number {
    return this.#position;
  }

  /** Size of the file if it were closed now, without its summary. */
  get bytes(): number {
    return this.#position + this.#chunk.length;
  }

  get isChunkFull(): boolean {
    return this.#chunk.length >= MAX_CHUNK_BYTES;
  }

  /** The first bytes of the file. */
  begin(library: string): Uint8Array {
    return this.#append(
      recordBytes((builder) => {
        builder.writeMagic();
        builder.writeHeader({ profile: "", library });
      }),
    );
  }

  /** Returns the id of the channel. */
  addChannel({ topic, encoding, schema, metadata }: McapChannel): number {
    const { schemas, channels } = this.summary;
    const channel: Channel = {
      id: channels.size,
      schemaId: schema === null ? 0 : schemas.size + 1,
      topic,
      messageEncoding: encoding,
      metadata: new Map(Object.entries(metadata)),
    };
    if (schema !== null) {
      const { name, encoding: schemaEncoding, text } = schema;
      const added = { id: channel.schemaId, name, encoding: schemaEncoding, data: schemaData(schemaEncoding, text) };
      schemas.set(added.id, added);
      this.#chunk.addRecord(recordBytes((builder) => builder.writeSchema(added)));
    }
    channels.set(channel.id, channel);
    this.#chunk.addRecord(recordBytes((builder) => builder.writeChannel(channel)));
    return channel.id;
  }

  /** Adds a message; its payload is copied. */
  addMessage(message: McapMessage): void {
    this.#chunk.addMessage(message);
  }

  /** Closes the open chunk and returns its pieces; none if it has no message. */
  cut(): readonly Uint8Array[] {
    if (this.#chunk.isEmpty) return [];
    const { pieces, bytes, chunkBytes, recordBytes: size, start, end, indexes, messages } = this.#chunk.close();
    const at = this.#position;
    this.summary.addChunk(
      {
        messageStartTime: start,
        messageEndTime: end,
        chunkStartOffset: BigInt(at),
        chunkLength: BigInt(chunkBytes),
        messageIndexOffsets: new Map([...indexes].map(([channel, offset]) => [channel, BigInt(at + offset)])),
        messageIndexLength: BigInt(bytes - chunkBytes),
        compression: "",
        compressedSize: BigInt(size),
        uncompressedSize: BigInt(size),
      },
      messages,
    );
    this.#position += bytes;
    this.#chunk = new Chunk();
    return pieces;
  }

  /** Adds a metadata record; only between chunks, so call `cut` first. */
  addMetadata(name: string, values: Readonly<Record<string, string>>): Uint8Array {
    const record = metadataRecord(name, values);
    this.summary.addMetadata(name, this.#position, record.length);
    return this.#append(record);
  }

  /** Closes the file. */
  end(): readonly Uint8Array[] {
    const pieces = this.cut();
    const rest = this.summary.close(this.#position);
    for (const piece of rest) this.#append(piece);
    return [...pieces, ...rest];
  }

  #append(bytes: Uint8Array): Uint8Array {
    this.#position += bytes.length;
    return bytes;
  }
}

export function metadataRecord(name: string, values: Readonly<Record<string, string>>): Uint8Array {
  return recordBytes((builder) => builder.writeMetadata({ name, metadata: new Map(Object.entries(values)) }));
}
