import { rename, unlink } from "node:fs/promises";

const NEWLINE = 0x0a;
/** Most bytes that can be missing of a UTF-8 character: this much room is left for the rest of one. */
const REST_OF_CHARACTER = 3;

interface Place {
  /** Bytes in the file now, and at most. */
  size: number;
  maxSize: number;
  /** The last byte ended a line. */
  isAtLineStart: boolean;
}

/**
 * How many of `bytes` still go into this file; 0: it is full. Files end with a line where a line ends in them, else between
 * two characters, and are never larger than `maxSize` (which has to be larger than a character).
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

/** How many bytes at the beginning belong to a character that began before them. */
export function restOfCharacter(bytes: Uint8Array): number {
  let length = 0;
  while (length < REST_OF_CHARACTER && isContinuation(bytes[length])) length++;
  return length;
}

/** `path` becomes `path.1`, that `path.2` …; `maxFiles` counts `path` too, and older ones are deleted. */
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
