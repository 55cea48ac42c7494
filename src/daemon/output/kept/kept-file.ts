import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { openStateFile, openStateFileAsync } from "../../../files/state-file.ts";

/** Maximum number of segments of a name: the newest one is appended to, the one before it is complete, and older ones are removed. */
const MAX_SEGMENTS = 2;
/** Names of segments: a hash of the process name, and an ascending number. */
const SEGMENT_NAME = /^([0-9a-f]{32})\.(\d{1,15})$/;
/** Maximum length of the first line, bytes. */
const MAX_HEADER_BYTES = 8_192;
const NEWLINE = 0x0a;

/** A segment as it was found on disk. */
export interface FoundSegment {
  readonly name: string;
  readonly number: number;
  readonly data: Buffer;
  /** Time of the last write, milliseconds since 1970. */
  readonly time: number;
}

/** Reads a segment; null: the file is not one. Throws if the file cannot be read, or could have been written by another user. */
export function readSegment(folder: string, fileName: string, maxBytes: number): FoundSegment | null {
  const [, id, number] = SEGMENT_NAME.exec(fileName) ?? [];
  if (id === undefined || number === undefined) return null;
  const fd = openStateFile(join(folder, fileName), constants.O_RDONLY);
  try {
    const { size, mtimeMs } = fstatSync(fd);
    if (size > maxBytes + MAX_HEADER_BYTES) return null;
    const bytes = readFileSync(fd);
    const headerEnd = bytes.subarray(0, MAX_HEADER_BYTES).indexOf(NEWLINE);
    const name = headerEnd < 0 ? null : nameIn(bytes.toString("utf8", 0, headerEnd));
    if (name === null || idOf(name) !== id) return null;
    return { name, number: Number(number), data: bytes.subarray(headerEnd + 1), time: mtimeMs };
  } finally {
    closeSync(fd);
  }
}

export const keptFileState = z.object({
  next: z.int().min(0),
  number: z.int().min(0),
  segments: z.array(z.object({ number: z.int().min(0), bytes: z.int().min(0) })),
});
export type KeptFileState = z.infer<typeof keptFileState>;

/** The newest output of one process in files of a folder. Segments are only appended to, so that a torn one is only shorter. */
export class KeptFile {
  /** Ring offset of the first byte that is not in the file. */
  next: number;
  readonly #folder: string;
  readonly #name: string;
  /** Segments of the file, oldest first. */
  #segments: { number: number; bytes: number }[];
  #number: number;

  constructor(place: { folder: string; name: string; next: number }, found: readonly FoundSegment[] = []) {
    this.#folder = place.folder;
    this.#name = place.name;
    this.next = place.next;
    this.#segments = found.map(({ number, data }) => ({ number, bytes: data.length }));
    this.#number = Math.max(0, ...found.map(({ number }) => number));
  }

  /** The file of the program before this one. */
  static take(folder: string, name: string, { next, number, segments }: KeptFileState): KeptFile {
    const file = new KeptFile({ folder, name, next });
    file.#segments = segments.map((segment) => ({ ...segment }));
    file.#number = number;
    return file;
  }

  /** Call while nothing is being written. */
  handOver(): KeptFileState {
    return { next: this.next, number: this.#number, segments: this.#segments };
  }

  get bytes(): number {
    return this.#segments.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Adds `data`, in a new segment where the newest one would exceed `maxSegmentBytes`. Rejects with ENOENT if its file is gone. */
  async append(data: Buffer, maxSegmentBytes: number): Promise<void> {
    const newest = this.#segments.at(-1);
    if (newest !== undefined && newest.bytes + data.length <= maxSegmentBytes) {
      await this.#write(newest.number, data, constants.O_APPEND);
      newest.bytes += data.length;
      return;
    }
    const number = ++this.#number;
    const header = Buffer.from(`${JSON.stringify({ mgr_output: 1, name: this.#name })}\n`);
    await this.#write(number, Buffer.concat([header, data]), constants.O_CREAT | constants.O_TRUNC);
    this.#segments.push({ number, bytes: data.length });
    await this.#removeOldest(this.#segments.length - MAX_SEGMENTS);
  }

  /** Removes the oldest segment, which may be the only one. */
  async shrink(): Promise<void> {
    await this.#removeOldest(1);
  }

  /** Replaces all segments. */
  async replace(data: Buffer): Promise<void> {
    const before = this.#segments.length;
    await this.append(data, 0);
    await this.#removeOldest(Math.min(before, this.#segments.length - 1));
  }

  async remove(): Promise<void> {
    await this.#removeOldest(this.#segments.length);
  }

  /** Forgets segments whose files are gone; continues at the ring offset `next`. */
  reset(next: number): void {
    this.#segments = [];
    this.next = next;
  }

  async #removeOldest(count: number): Promise<void> {
    for (const { number } of this.#segments.splice(0, Math.max(0, count))) await rm(this.#path(number), { force: true });
  }

  async #write(number: number, data: Buffer, flags: number): Promise<void> {
    await using file = await openStateFileAsync(this.#path(number), constants.O_WRONLY | flags);
    await file.writeFile(data);
  }

  #path(number: number): string {
    return join(this.#folder, `${idOf(this.#name)}.${number}`);
  }
}

/** Hash of a process name, which may contain slashes and be longer than a file name. */
function idOf(name: string): string {
  return createHash("sha256").update(name).digest("hex").slice(0, 32);
}

function nameIn(header: string): string | null {
  try {
    const { mgr_output, name } = JSON.parse(header) as { mgr_output?: unknown; name?: unknown };
    return mgr_output === 1 && typeof name === "string" ? name : null;
  } catch {
    return null; // Not a header.
  }
}
