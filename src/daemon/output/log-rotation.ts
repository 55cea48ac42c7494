import { rename, unlink } from "node:fs/promises";

const NEWLINE = 0x0a;
/** Maximum number of bytes that can be missing of a UTF-8 character: this much room is left for the rest of one. */
const REST_OF_CHARACTER = 3;

interface Place {
  /** Current and maximum size of the file, bytes. */
  size: number;
  maxSize: number;
  /** Whether the last byte ended a line. */
  isAtLineStart: boolean;
}

/**
 * Returns how many of `bytes` fit into this file; 0: it is full. Files end at the end of a line if possible, else between two characters,
 * and are never larger than `maxSize` (which has to be larger than a character).
 */
export function fitting(bytes: Uint8Array, { size, maxSize, isAtLineStart }: Place): number {
  const room = Math.max(0, maxSize - REST_OF_CHARACTER - size);
  if (bytes.length <= room) return bytes.length;
  const lineEnd = room === 0 ? 0 : bytes.lastIndexOf(NEWLINE, room - 1) + 1;
  if (lineEnd > 0) return lineEnd;
  if (size > 0 && isAtLineStart) return 0;
  let cut = room;
  while (cut < bytes.length && size + cut < maxSize && isContinuation(bytes[cut])) cut++;
  return cut;
}

/** Number of bytes at the beginning that belong to a character that began before them. */
export function restOfCharacter(bytes: Uint8Array): number {
  let length = 0;
  while (length < REST_OF_CHARACTER && isContinuation(bytes[length])) length++;
  return length;
}

/** Renames `path` to `path.1`, that to `path.2` …; `maxFiles` counts `path` too, and older ones are deleted. */
export async function rotate(path: string, maxFiles: number): Promise<void> {
  for (let n = maxFiles; await isRemoved(`${path}.${n}`); n++);
  for (let n = maxFiles - 1; n >= 1; n--) await move(n === 1 ? path : `${path}.${n - 1}`, `${path}.${n}`);
  if (maxFiles === 1) await isRemoved(path);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

async function move(from: string, to: string): Promise<void> {
  await rename(from, to).catch(unlessAbsent);
}

async function isRemoved(path: string): Promise<boolean> {
  return unlink(path).then(() => true, unlessAbsent);
}

function unlessAbsent(error: NodeJS.ErrnoException): false {
  if (error.code !== "ENOENT") throw error;
  return false;
}
