import { constants } from "node:fs";
import { type FileHandle, rename, rm } from "node:fs/promises";
import { temporaryPath } from "../../../../files/replace-file.ts";
import { isMissing, openStateFileAsync } from "../../../../files/state-file.ts";
import { FileImage } from "./file-image.ts";
import { encodeHeader, type Header } from "./header.ts";
import {
  fileBytes,
  HEADER_BYTES,
  type Layout,
  LONG,
  PERIODS_MS,
  type RingNumber,
  SHORT,
  slotBytes,
  slotNumber,
  slotOffset,
} from "./layout.ts";
import { Slots } from "./slot.ts";

/** A larger file is not ours: that of a machine with 64 CPUs has 9 MiB. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** Numbers of the oldest and the newest slot of a ring. */
export interface Extent {
  readonly oldest: number;
  readonly newest: number;
}

/** Places of slots in a row, and the number that belongs to the first of them. */
export interface Piece {
  readonly from: number;
  readonly slots: Slots;
}

/** Extents of both rings; null: the ring is empty. */
export type Extents = [Extent | null, Extent | null];

/** The file with the rings of one process. Every method rejects with the system's error; one call at a time. */
export class HistoryFile {
  readonly path: string;
  readonly header: Header;
  readonly extents: Extents;
  readonly #handle: FileHandle;

  /**
   * Opens the file of this name with rings of this length, and creates it if it is missing or damaged. `time`: wall clock. `known`: the
   * extents of a file that was opened and closed before; null: the file is read and completed.
   */
  static async open(path: string, header: Header, time: number, known: Extents | null): Promise<HistoryFile> {
    const again = known === null ? null : await openKnown(path, header.layout);
    if (known !== null && again !== null) return new HistoryFile(path, header, again, known);
    const created = await create(path, header);
    if (created !== null) return new HistoryFile(path, header, created, [null, null]);
    const found = await readImage(path);
    const isOurs = found?.header.name === header.name && found.header.layout.series === header.layout.series;
    let image = isOurs ? found : FileImage.empty(header);
    if (found === null || !isOurs || !isSame(found.header.layout, header.layout)) {
      if (!image.isEmpty) image = image.resized(header.layout);
      await replace(path, image);
    }
    const file = new HistoryFile(path, header, await openStateFileAsync(path, constants.O_RDWR), [null, null]);
    try {
      await file.#takeOver(image, time);
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  private constructor(path: string, header: Header, handle: FileHandle, extents: Extents) {
    this.path = path;
    this.header = header;
    this.#handle = handle;
    this.extents = extents;
  }

  /** Whether the path still leads to this file. */
  async isInPlace(): Promise<boolean> {
    return (await this.#handle.stat()).nlink > 0;
  }

  /** Writes slots of consecutive numbers. */
  async write(ring: RingNumber, first: number, slots: Uint8Array): Promise<void> {
    const { layout } = this.header;
    const size = slotBytes(layout);
    const length = layout.slots[ring];
    for (let number = first, from = 0; from < slots.length; ) {
      const count = Math.min((slots.length - from) / size, length - (number % length));
      await this.#writeAt(slots.subarray(from, from + count * size), slotOffset(layout, ring, number));
      number += count;
      from += count * size;
    }
    const last = first + slots.length / size - 1;
    const { oldest, newest } = this.extents[ring] ?? { oldest: first, newest: last };
    const latest = Math.max(newest, last);
    this.extents[ring] = { oldest: Math.max(Math.min(oldest, first), latest - length + 1), newest: latest };
  }

  /** Slots of this range, as far as the ring goes back, in one or two pieces. Slots of other numbers can be at their places. */
  async read(ring: RingNumber, from: number, until: number): Promise<Piece[]> {
    const { layout } = this.header;
    const length = layout.slots[ring];
    const end = Math.min(until, (this.extents[ring]?.newest ?? -1) + 1);
    const begin = Math.max(from, end - length);
    const count = end - begin;
    if (count <= 0) return [];
    const first = begin % length;
    const head = Math.min(count, length - first);
    const pieces = [{ from: begin, slots: await this.#slots(ring, first, head) }];
    if (head < count) pieces.push({ from: begin + head, slots: await this.#slots(ring, 0, count - head) });
    return pieces;
  }

  /** Removes what is after `number`: the wall clock was set back. */
  async discardAfter(ring: RingNumber, number: number): Promise<void> {
    const extent = this.extents[ring];
    if (extent === null || extent.newest <= number) return;
    const { layout } = this.header;
    const slots = await this.#slots(ring, 0, layout.slots[ring]);
    const empty = new Uint8Array(slotBytes(layout));
    for (let place = 0; place < slots.count; place++) {
      if (slots.numberAt(place) > number) await this.#writeAt(empty, slotOffset(layout, ring, place));
    }
    this.extents[ring] = extent.oldest > number ? null : { ...extent, newest: number };
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  /** Completes what an earlier daemon has left. */
  async #takeOver(image: FileImage, time: number): Promise<void> {
    if (image.isEmpty) return;
    for (const ring of [SHORT, LONG] as const) {
      const numbers = image.numbers(ring);
      const [oldest] = numbers;
      const newest = numbers.at(-1);
      if (oldest !== undefined && newest !== undefined) this.extents[ring] = { oldest, newest };
      // Written while the wall clock was ahead.
      await this.discardAfter(ring, slotNumber(time, PERIODS_MS[ring]));
    }
    const { series } = this.header.layout;
    for (const [number, figures] of image.missingLong(slotNumber(time, PERIODS_MS[LONG]))) {
      const slots = Slots.empty(series, 1);
      slots.put(0, number, figures);
      await this.write(LONG, number, slots.bytes());
    }
  }

  async #slots(ring: RingNumber, first: number, count: number): Promise<Slots> {
    const { layout } = this.header;
    return new Slots(layout.series, await this.#bytes(slotOffset(layout, ring, first), slotBytes(layout) * count));
  }

  /** Bytes beyond the end of the file are read as zero. */
  async #bytes(from: number, length: number): Promise<ArrayBuffer> {
    const bytes = new ArrayBuffer(length);
    const view = new Uint8Array(bytes);
    for (let at = 0; at < length; ) {
      const { bytesRead } = await this.#handle.read(view, at, length - at, from + at);
      if (bytesRead === 0) break;
      at += bytesRead;
    }
    return bytes;
  }

  async #writeAt(bytes: Uint8Array, from: number): Promise<void> {
    for (let at = 0; at < bytes.length; ) at += (await this.#handle.write(bytes, at, bytes.length - at, from + at)).bytesWritten;
  }
}

/** Null: the file is gone, or is another one. */
async function openKnown(path: string, layout: Layout): Promise<FileHandle | null> {
  try {
    const handle = await openStateFileAsync(path, constants.O_RDWR);
    if ((await handle.stat()).size === fileBytes(layout)) return handle;
    await handle.close();
    return null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Null: there is none, or its header is damaged. */
export async function readImage(path: string): Promise<FileImage | null> {
  try {
    await using file = await openStateFileAsync(path, constants.O_RDONLY);
    if ((await file.stat()).size > MAX_FILE_BYTES) return null;
    const bytes = await file.readFile();
    return FileImage.read(new Uint8Array(bytes).buffer);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** A new file without slots, in its place: one whose header is not whole counts as damaged. Null: there is a file. */
async function create(path: string, header: Header): Promise<FileHandle | null> {
  let handle: FileHandle;
  try {
    handle = await openStateFileAsync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL);
  } catch (error) {
    const { cause } = error as { readonly cause?: NodeJS.ErrnoException };
    if (cause?.code === "EEXIST") return null;
    throw error;
  }
  try {
    await handle.truncate(fileBytes(header.layout));
    await handle.write(new Uint8Array(encodeHeader(header)), 0, HEADER_BYTES, 0);
    return handle;
  } catch (error) {
    await handle.close();
    await rm(path, { force: true });
    throw error;
  }
}

/** Empty slots take no space: they are holes. */
async function replace(path: string, image: FileImage): Promise<void> {
  const temporary = temporaryPath(path);
  await rm(temporary, { force: true });
  try {
    await using file = await openStateFileAsync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL);
    await file.truncate(image.bytes.byteLength);
    const parts = image.isEmpty ? [[0, HEADER_BYTES] as const] : writtenParts(new Uint8Array(image.bytes));
    for (const [from, until] of parts) {
      await file.write(new Uint8Array(image.bytes, from, until - from), 0, until - from, from);
    }
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await rename(temporary, path);
}

/** Blocks of a file system, bytes. */
const BLOCK_BYTES = 4_096;

/** Runs of blocks that are not all zero. */
function* writtenParts(bytes: Uint8Array): Generator<[from: number, until: number]> {
  let from: number | null = null;
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    const isEmpty = bytes.subarray(at, at + BLOCK_BYTES).every((byte) => byte === 0);
    if (!isEmpty) from ??= at;
    else if (from !== null) {
      yield [from, at];
      from = null;
    }
  }
  if (from !== null) yield [from, bytes.length];
}

const isSame = (one: Layout, other: Layout) =>
  one.series === other.series && one.slots[SHORT] === other.slots[SHORT] && one.slots[LONG] === other.slots[LONG];
