import type { DecompressHandlers } from "@mcap/core";
import { decompress } from "fzstd";

/** Maximum size of a chunk, bytes: a reader has a whole chunk in memory. Most writers close a chunk at 1 to 8 MiB. */
export const MAX_CHUNK_BYTES_READ = 256 * 1024 * 1024;

/** Compressions of chunks that are read: files of this program have none, most other writers use zstd. */
export const DECOMPRESS: DecompressHandlers = {
  zstd: (compressed, size) => decompress(compressed, new Uint8Array(checkedSize(size))),
  lz4: () => {
    throw new Error("its chunks are compressed with lz4, which cannot be read here: rewrite it with 'mcap decompress IN OUT'");
  },
};

function checkedSize(size: bigint): number {
  if (size > BigInt(MAX_CHUNK_BYTES_READ))
    throw new Error(`a chunk says that it has ${size} bytes; at most ${MAX_CHUNK_BYTES_READ} are read`);
  return Number(size);
}
