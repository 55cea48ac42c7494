import { readdirSync } from "node:fs";
import { type FileHandle, open, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isDiskFull, messageOf } from "../../../../base/errors.ts";
import { ThrottledWarning, type WarningLog } from "../../../../base/throttled-warning.ts";
import { freeSpace } from "../../../../files/free-space.ts";
import { makeFoldersSync } from "../../../../files/make-folders.ts";
import type { Block } from "./block.ts";
import { blockFileName, blockHeader, blockNumberOf, pieceHead, readBlock, readFirstTime } from "./block-file.ts";

/** Maximum number of files: blocks of hosts on which little happens are small. */
const MAX_FILES = 4_096;
/** A block of one message has at most this, bytes. */
const MAX_BLOCK_FILE_BYTES = 256 * 1024 * 1024;

/** More than the header of a file and the head of a piece have, bytes. */
const MAX_HEADS_BYTES = 64;

interface StoredBlock {
  readonly number: number;
  bytes: number;
  /** Time of the first record; null: not read yet. */
  first: bigint | null;
}

export interface DiskRingOptions {
  readonly folder: string;
  /** Free space that is left to other programs, bytes. */
  readonly minFree: number;
  readonly log: WarningLog;
  /** Replaced in tests of slow and full disks. */
  readonly append?: ((file: FileHandle, pieces: readonly Uint8Array[]) => Promise<void>) | undefined;
}

/** The blocks of the ring in files, which outlive the daemon. One write is under way at a time; what is too much for the disk is dropped and counted. */
export class DiskRing {
  readonly #options: DiskRingOptions;
  readonly #warning: ThrottledWarning;
  #maxBytes = 0;
  /** Oldest first. */
  readonly #stored: StoredBlock[];
  readonly #listed: Promise<void>;
  /** Number of the last block of earlier daemons; -1: there is none. */
  readonly lastNumber: number;
  #bytes = 0;
  #file: { readonly number: number; readonly handle: FileHandle } | null = null;
  #busy: Promise<void> | null = null;
  #isHeld = false;
  /** Messages that were dropped before they were on the disk. */
  #dropped = 0;

  constructor(options: DiskRingOptions) {
    this.#options = options;
    this.#warning = new ThrottledWarning(options.log);
    const numbers = numbersIn(options.folder);
    this.lastNumber = numbers.at(-1) ?? -1;
    this.#stored = numbers.map((number) => ({ number, bytes: 0, first: null }));
    this.#listed = this.#list();
  }

  get bytes(): number {
    return this.#bytes;
  }

  get dropped(): number {
    return this.#dropped;
  }

  /** Whether it keeps anything. */
  get isOn(): boolean {
    return this.#maxBytes > 0;
  }

  /** 0: nothing is kept, and what was is removed by the next `flush`. */
  setBound(maxBytes: number): void {
    this.#maxBytes = maxBytes;
  }

  /** Time of the oldest record; null: there is none. */
  async oldest(): Promise<bigint | null> {
    await this.#listed;
    const [oldest] = this.#stored;
    return oldest === undefined ? null : this.#firstOf(oldest);
  }

  /** Number of the block to begin with, to find everything from `time` on; null: there is none. */
  async startingAt(time: bigint): Promise<number | null> {
    await this.#listed;
    const stored = [...this.#stored];
    for (const block of stored.reverse()) {
      const first = await this.#firstOf(block);
      if (first !== null && first <= time) return block.number;
    }
    return this.#stored[0]?.number ?? null;
  }

  /** The lowest number that is at least `number`; null: there is none. */
  async from(number: number): Promise<number | null> {
    await this.#listed;
    return this.#stored.find((block) => block.number >= number)?.number ?? null;
  }

  /** The records of a block; null: it is gone. */
  async read(number: number): Promise<Buffer | null> {
    try {
      return await readBlock(this.#pathOf(number), MAX_BLOCK_FILE_BYTES);
    } catch (error) {
      this.#warning.warn(`the flight recorder cannot read ${this.#pathOf(number)}: ${messageOf(error)}`);
      return null;
    }
  }

  /** Begins to write what these blocks have beyond what is on the disk, unless a write is under way. */
  flush(blocks: readonly Block[]): void {
    if (this.#busy !== null || this.#isHeld) return;
    this.#busy = this.#flush(blocks).finally(() => {
      this.#busy = null;
    });
  }

  /** Called with a block before its memory is used again. */
  forget(block: Block): void {
    if (this.isOn && block.saved < block.length && !block.isBorrowed) this.#drop(block.messages - block.savedMessages);
  }

  /** Resolves when no write is under way. */
  async settled(): Promise<void> {
    while (this.#busy !== null) await this.#busy;
  }

  /** Begins no write until `resume`. Resolves when none is under way. */
  async quiet(): Promise<void> {
    this.#isHeld = true;
    await this.settled();
    await this.#closeFile();
  }

  resume(): void {
    this.#isHeld = false;
  }

  async close(): Promise<void> {
    await this.#listed;
    await this.quiet();
  }

  async #flush(blocks: readonly Block[]): Promise<void> {
    try {
      await this.#listed;
      await this.#removeSurplus(0);
      if (!this.isOn) return;
      // Records that are dropped from memory meanwhile are lost.
      const unsaved = blocks.filter(({ saved, length }) => saved < length).map((block) => [block, block.number] as const);
      for (const [block, number] of unsaved) if (block.number === number) await this.#save(block);
    } catch (error) {
      await this.#closeFile().catch(() => undefined);
      const remedy = isDiskFull(error) ? "; free some space there" : "";
      this.#warning.warn(`the flight recorder cannot write to ${this.#options.folder}: ${messageOf(error)}${remedy}`);
    }
  }

  async #save(block: Block): Promise<void> {
    const { number, first, length, messages, savedMessages } = block;
    if (!(await this.#makeRoom(length)) || block.number !== number) return;
    const file = await this.#open(number);
    if (block.number !== number) return;
    block.isBorrowed = true;
    try {
      const last = this.#stored.at(-1);
      const isNew = last?.number !== number;
      const stored = isNew ? { number, bytes: 0, first } : last;
      if (isNew) this.#stored.push(stored);
      const records = block.buffer.subarray(isNew ? 0 : block.saved, length);
      const pieces = [...(isNew ? [blockHeader(first)] : []), pieceHead(records), records];
      const { append = appendAll } = this.#options;
      await append(file, pieces);
      const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
      stored.bytes += bytes;
      this.#bytes += bytes;
      if (block.number === number) Object.assign(block, { saved: length, savedMessages: messages });
    } catch (error) {
      // Half a piece may be at the end of the file: nothing can be appended to it.
      this.#drop(messages - savedMessages);
      if (block.number === number) Object.assign(block, { saved: Number.MAX_SAFE_INTEGER, savedMessages: messages });
      throw error;
    } finally {
      block.isBorrowed = false;
    }
  }

  /** Resolves with whether there is room for records of `length` bytes: old blocks make room. */
  async #makeRoom(length: number): Promise<boolean> {
    const needed = length + MAX_HEADS_BYTES;
    await this.#removeSurplus(needed);
    while ((await this.#freeSpace()) < this.#options.minFree + needed) {
      if (!(await this.#removeOldest())) {
        this.#warning.warn(
          `the flight recorder keeps nothing on the disk of ${this.#options.folder}: less than ${this.#options.minFree} bytes are free; free some space there`,
        );
        return false;
      }
    }
    return this.#maxBytes >= needed;
  }

  async #removeSurplus(needed: number): Promise<void> {
    while (this.#stored.length > 0 && (this.#bytes + needed > this.#maxBytes || this.#stored.length >= MAX_FILES))
      await this.#removeOldest();
  }

  async #removeOldest(): Promise<boolean> {
    const oldest = this.#stored.shift();
    if (oldest === undefined) return false;
    this.#bytes -= oldest.bytes;
    if (this.#file?.number === oldest.number) await this.#closeFile();
    await rm(this.#pathOf(oldest.number), { force: true });
    return true;
  }

  async #open(number: number): Promise<FileHandle> {
    if (this.#file?.number === number) return this.#file.handle;
    await this.#closeFile();
    makeFoldersSync(this.#options.folder, 0o700);
    const handle = await open(this.#pathOf(number), "a", 0o600);
    this.#file = { number, handle };
    return handle;
  }

  async #closeFile(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await file?.handle.close();
  }

  async #freeSpace(): Promise<number> {
    makeFoldersSync(this.#options.folder, 0o700);
    return freeSpace(this.#options.folder);
  }

  #drop(messages: number): void {
    if (messages <= 0) return;
    this.#dropped += messages;
    this.#warning.warn(
      `the disk of ${this.#options.folder} is too slow or full: ${this.#dropped} messages of the flight recorder are not on it`,
    );
  }

  async #firstOf(block: StoredBlock): Promise<bigint | null> {
    block.first ??= await readFirstTime(this.#pathOf(block.number)).catch(() => null);
    return block.first;
  }

  /** Sizes of the files of earlier daemons. */
  async #list(): Promise<void> {
    for (const block of this.#stored) {
      block.bytes = await stat(this.#pathOf(block.number)).then(
        ({ size }) => size,
        () => 0,
      );
      this.#bytes += block.bytes;
    }
  }

  #pathOf(number: number): string {
    return join(this.#options.folder, blockFileName(number));
  }
}

function numbersIn(folder: string): number[] {
  try {
    return readdirSync(folder)
      .flatMap((name) => blockNumberOf(name) ?? [])
      .sort((a, b) => a - b);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

async function appendAll(file: FileHandle, pieces: readonly Uint8Array[]): Promise<void> {
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const { bytesWritten } = await file.writev(pieces);
  if (bytesWritten < bytes) throw Object.assign(new Error(`only ${bytesWritten} of ${bytes} bytes were written`), { code: "ENOSPC" });
}
