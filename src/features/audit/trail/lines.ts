import type { FileHandle } from "node:fs/promises";
import { MAX_LINE_BYTES, NEWLINE } from "./files.ts";

const READ_BYTES = 256 * 1024;

/** A line of a file. */
export interface PlacedLine {
  /** Text without its end; null: it is longer than any record. */
  readonly text: string | null;
  readonly from: number;
  readonly bytes: Buffer;
  /** False for the rest of a file whose last line has no end. */
  readonly isWhole: boolean;
}

/** The lines of a file from an offset on, which begins a line. */
export async function* linesFrom(file: FileHandle, from: number, end: number): AsyncGenerator<PlacedLine> {
  let rest: Buffer = Buffer.alloc(0);
  let at = from;
  for (let position = from; position < end; ) {
    const read = await readAt(file, position, Math.min(READ_BYTES, end - position));
    if (read.length === 0) break;
    position += read.length;
    const block = Buffer.concat([rest, read]);
    let begin = 0;
    for (let stop = block.indexOf(NEWLINE); stop !== -1; stop = block.indexOf(NEWLINE, begin)) {
      yield placed(block.subarray(begin, stop), at, true);
      at += stop + 1 - begin;
      begin = stop + 1;
    }
    rest = block.subarray(begin);
    // No record is that long: it is passed on in pieces, so that a damaged file takes little memory.
    if (rest.length > MAX_LINE_BYTES) {
      yield { text: null, from: at, bytes: rest, isWhole: false };
      at += rest.length;
      rest = Buffer.alloc(0);
    }
  }
  if (rest.length > 0) yield placed(rest, at, false);
}

/** The lines of a file before an offset, which ends a line; the last one first. */
export async function* linesBefore(file: FileHandle, end: number): AsyncGenerator<PlacedLine> {
  let rest: Buffer = Buffer.alloc(0);
  for (let position = end; position > 0; ) {
    const from = Math.max(0, position - READ_BYTES);
    const block = Buffer.concat([await readAt(file, from, position - from), rest]);
    position = from;
    // The first line of the block may have begun before it.
    let stop = block.length;
    for (let newline = stop < 2 ? -1 : block.lastIndexOf(NEWLINE, stop - 2); newline !== -1; ) {
      yield placedWithEnd(block.subarray(newline + 1, stop), from + newline + 1);
      stop = newline + 1;
      newline = stop < 2 ? -1 : block.lastIndexOf(NEWLINE, stop - 2);
    }
    rest = block.subarray(0, stop);
    if (rest.length > MAX_LINE_BYTES) rest = Buffer.alloc(0);
  }
  if (rest.length > 0) yield placedWithEnd(rest, 0);
}

function placedWithEnd(bytes: Buffer, from: number): PlacedLine {
  const isWhole = bytes.at(-1) === NEWLINE;
  return placed(isWhole ? bytes.subarray(0, -1) : bytes, from, isWhole);
}

function placed(bytes: Buffer, from: number, isWhole: boolean): PlacedLine {
  return { text: bytes.length > MAX_LINE_BYTES ? null : bytes.toString(), from, bytes, isWhole };
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
