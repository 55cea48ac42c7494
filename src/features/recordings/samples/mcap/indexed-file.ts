import { open } from "node:fs/promises";
import { type IReadable, McapIndexedReader, type TypedMcapRecords } from "@mcap/core";
import { decompressors, MAX_CHUNK_BYTES_READ } from "./decompress.ts";
import { Summary } from "./summary.ts";

/** A complete MCAP file, read by its index. */
export interface IndexedFile {
  readonly reader: McapIndexedReader;
  /** Size in bytes. */
  readonly size: number;
  readonly readable: IReadable;
  /** Most bytes that are read in one piece. */
  readonly maxBytes: number;
  readonly close: () => Promise<void>;
}

/** Reads the index only. Rejects if the file has no index. `maxBytes`: most bytes of the index, and of a chunk. */
export async function openIndexed(path: string, maxBytes = MAX_CHUNK_BYTES_READ): Promise<IndexedFile> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const readable = {
      size: async () => BigInt(size),
      read: async (offset: bigint, length: bigint) => {
        if (length > BigInt(maxBytes)) throw new Error(`${length} bytes are in one piece; at most ${maxBytes} are read`);
        const bytes = new Uint8Array(Number(length));
        await file.read(bytes, 0, bytes.length, Number(offset));
        return bytes;
      },
    };
    const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers: decompressors(maxBytes) });
    return { reader, size, readable, maxBytes, close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The newest metadata of each name. */
export async function metadataOf({ reader }: IndexedFile): Promise<Map<string, ReadonlyMap<string, string>>> {
  const found = new Map<string, ReadonlyMap<string, string>>();
  for await (const { name, metadata } of reader.readMetadata()) found.set(name, metadata);
  return found;
}

/** Reads some chunks of an open file only. The reader of @mcap/core reads all whose times fit, so it is given an index with these alone. */
export async function readerOfChunks(
  { reader, readable, maxBytes }: IndexedFile,
  wants: (chunk: TypedMcapRecords["ChunkIndex"]) => boolean,
): Promise<McapIndexedReader> {
  const { channelsById, schemasById, chunkIndexes, dataEndOffset } = reader;
  const summary = new Summary();
  for (const [id, schema] of schemasById) summary.schemas.set(id, schema);
  for (const [id, channel] of channelsById) summary.channels.set(id, channel);
  for (const chunk of chunkIndexes) if (wants(chunk)) summary.addChunk(chunk, new Map());
  const index = Buffer.concat(summary.close(Number(dataEndOffset)));
  const indexed: IReadable = {
    size: async () => dataEndOffset + BigInt(index.length),
    read: async (offset, length) => {
      if (offset < dataEndOffset) return readable.read(offset, length);
      const from = Number(offset - dataEndOffset);
      return index.subarray(from, from + Number(length));
    },
  };
  return McapIndexedReader.Initialize({ readable: indexed, decompressHandlers: decompressors(maxBytes) });
}
