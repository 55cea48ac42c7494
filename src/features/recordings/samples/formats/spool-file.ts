import { type FileHandle, open } from "node:fs/promises";
import { ELEMENT_BYTES, type NumericElement, putElement } from "../columns/column.ts";

/** Size of the buffers of all sections together, bytes. */
const BUFFER_BYTES = 4 * 1024 * 1024;
const MAX_SECTION_BUFFER_BYTES = 64 * 1024;
const MIN_SECTION_BUFFER_BYTES = 1024;

/** Destination of the bytes of a format. */
export interface Sink {
  bytes(data: Uint8Array): void;
  number(element: NumericElement, value: unknown): void;
}

/** Counts bytes only, for the size of a column whose cells have different lengths. */
export class CountingSink implements Sink {
  size = 0;

  bytes(data: Uint8Array): void {
    this.size += data.length;
  }

  number(element: NumericElement): void {
    this.size += ELEMENT_BYTES[element];
  }
}

/** A part of a file that is written in parallel with other parts: a column. */
export class Section implements Sink {
  readonly #file: FileHandle;
  readonly #room: number;
  #at: number;
  #buffer: Uint8Array;
  #view: DataView;
  #size = 0;

  constructor(file: FileHandle, offset: number, room: number) {
    this.#file = file;
    this.#at = offset;
    this.#room = room;
    this.#buffer = new Uint8Array(room);
    this.#view = new DataView(this.#buffer.buffer);
  }

  bytes(data: Uint8Array): void {
    this.#reserve(data.length);
    this.#buffer.set(data, this.#size);
    this.#size += data.length;
  }

  number(element: NumericElement, value: unknown): void {
    this.#reserve(ELEMENT_BYTES[element]);
    putElement(this.#view, this.#size, element, value);
    this.#size += ELEMENT_BYTES[element];
  }

  /** Whether the section should be flushed before more is written. */
  get isFull(): boolean {
    return this.#size >= this.#room / 2;
  }

  async flush(): Promise<void> {
    for (let sent = 0; sent < this.#size; )
      sent += (await this.#file.write(this.#buffer, sent, this.#size - sent, this.#at + sent)).bytesWritten;
    this.#at += this.#size;
    this.#size = 0;
    if (this.#buffer.length > this.#room) this.#grow(this.#room);
  }

  /** A cell may be larger than the buffer; the buffer then grows until the next flush. */
  #reserve(size: number): void {
    if (this.#size + size > this.#buffer.length) this.#grow(Math.max(this.#buffer.length * 2, this.#size + size));
  }

  #grow(length: number): void {
    const larger = new Uint8Array(length);
    larger.set(this.#buffer.subarray(0, this.#size));
    this.#buffer = larger;
    this.#view = new DataView(larger.buffer);
  }
}

/** A new file with several sections that are written in parallel. */
export class SpoolFile {
  readonly #file: FileHandle;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async create(path: string): Promise<SpoolFile> {
    return new SpoolFile(await open(path, "w", 0o600));
  }

  async write(offset: number, data: Uint8Array): Promise<void> {
    const section = new Section(this.#file, offset, data.length);
    section.bytes(data);
    await section.flush();
  }

  /** Sections that begin at the offsets; their buffers share 4 MiB. */
  sections(offsets: readonly number[]): Section[] {
    const share = Math.floor(BUFFER_BYTES / Math.max(1, offsets.length));
    const room = Math.max(MIN_SECTION_BUFFER_BYTES, Math.min(MAX_SECTION_BUFFER_BYTES, share));
    return offsets.map((offset) => new Section(this.#file, offset, room));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }
}
