import type { DecompressHandlers } from "@mcap/core";
import { decompress } from "fzstd";

/** Maximum size of a chunk, bytes: a reader has a whole chunk in memory. Most writers close a chunk at 1 to 8 MiB. */
export const MAX_CHUNK_BYTES_READ = 256 * 1024 * 1024;

/** Compressions of chunks that are read, up to a size in bytes: files of this program have none, most other writers use zstd. */
export function decompressors(maxBytes: number): DecompressHandlers {
  return {
    zstd: (compressed, size) => {
      if (size > BigInt(maxBytes)) throw new Error(`a chunk says that it has ${size} bytes; at most ${maxBytes} are read`);
      return decompress(compressed, new Uint8Array(Number(size)));
    },
    lz4: () => {
      throw new Error("its chunks are compressed with lz4, which cannot be read here: rewrite it with 'mcap decompress IN OUT'");
    },
  };
}
