import { open } from "node:fs/promises";
import { McapIndexedReader } from "@mcap/core";
import { decompressors, MAX_CHUNK_BYTES_READ } from "./decompress.ts";

/** A complete MCAP file, read by its index. */
export interface IndexedFile {
  readonly reader: McapIndexedReader;
  /** Size in bytes. */
  readonly size: number;
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
    return { reader, size, close: () => file.close() };
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
