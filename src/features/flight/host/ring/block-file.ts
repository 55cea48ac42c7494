import { type FileHandle, open } from "node:fs/promises";
import { crc32 } from "node:zlib";

/**
 * A block on the disk: this, the time of its first record (u64, nanoseconds), then pieces: u32 length, u32 CRC-32, records. What is not a whole piece
 * with the right checksum ends the block: a kill or a power cut has left it.
 */
const MAGIC = Buffer.from("mgrfl001");
const HEADER_BYTES = MAGIC.length + 8;
const PIECE_HEAD_BYTES = 8;
const NAME = /^(\d{12})\.block$/;

export const blockFileName = (number: number): string => `${String(number).padStart(12, "0")}.block`;

/** Number of the block in a file of this name; null: it is another file. */
export function blockNumberOf(name: string): number | null {
  const digits = NAME.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}

export const blockHeader = (first: bigint): Buffer => {
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  header.writeBigUInt64LE(first, MAGIC.length);
  return header;
};

/** The head of a piece of a block. */
export function pieceHead(records: Buffer): Buffer {
  const head = Buffer.alloc(PIECE_HEAD_BYTES);
  head.writeUInt32LE(records.length, 0);
  head.writeUInt32LE(crc32(records), 4);
  return head;
}

/** Time of the first record of a block; null: the file is damaged, or gone. */
export async function readFirstTime(path: string): Promise<bigint | null> {
  return reading(path, async (file) => {
    const header = Buffer.alloc(HEADER_BYTES);
    const { bytesRead } = await file.read(header, 0, HEADER_BYTES, 0);
    const isBlock = bytesRead === HEADER_BYTES && header.subarray(0, MAGIC.length).equals(MAGIC);
    return isBlock ? header.readBigUInt64LE(MAGIC.length) : null;
  });
}

/** All records of a block, up to the first damage; null: the file is gone, or not a block. `maxBytes`: of a longer file, the begin. */
export async function readBlock(path: string, maxBytes: number): Promise<Buffer | null> {
  return reading(path, async (file) => {
    const { size } = await file.stat();
    const all = Buffer.allocUnsafe(Math.min(size, maxBytes));
    const { bytesRead } = await file.read(all, 0, all.length, 0);
    if (bytesRead < HEADER_BYTES || !all.subarray(0, MAGIC.length).equals(MAGIC)) return null;
    let length = 0;
    for (let at = HEADER_BYTES; at + PIECE_HEAD_BYTES <= bytesRead; ) {
      const size = all.readUInt32LE(at);
      const piece = all.subarray(at + PIECE_HEAD_BYTES, at + PIECE_HEAD_BYTES + size);
      if (at + PIECE_HEAD_BYTES + size > bytesRead || size === 0 || crc32(piece) !== all.readUInt32LE(at + 4)) break;
      // The records of all pieces are one after the other in the memory of a block, too.
      piece.copy(all, length);
      length += size;
      at += PIECE_HEAD_BYTES + size;
    }
    return all.subarray(0, length);
  });
}

async function reading<T>(path: string, read: (file: FileHandle) => Promise<T>): Promise<T | null> {
  let file: FileHandle;
  try {
    file = await open(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  try {
    return await read(file);
  } finally {
    await file.close();
  }
}
