import { close, constants, fdatasync, fstat, ftruncate, type Stats, writev } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { promisify } from "node:util";

/** Maximum number of bytes that wait for the disk; messages beyond are dropped and counted. */
export const MAX_UNWRITTEN_BYTES = 32 * 1024 * 1024;

type FileIdentity = Pick<Stats, "dev" | "ino" | "size" | "nlink">;

/** A change of the file by another program. `moved`: it has another name now; `gone`: it was removed, replaced or cut off. */
export type FilePlace = "kept" | "moved" | "gone";

/** The part of a file handle that a queue writes with. */
export interface WritableFile {
  readonly fd: number;
  writev(pieces: readonly Uint8Array[], position: number): Promise<{ bytesWritten: number }>;
  truncate(length: number): Promise<void>;
  stat(): Promise<FileIdentity>;
  datasync(): Promise<void>;
  close(): Promise<void>;
}

/** Called when a write failed. Resolves with true if there is room now, and the write is repeated. */
export type WriteFailed = (error: unknown) => Promise<boolean>;

export type OpenFile = (path: string) => Promise<WritableFile>;

/** Creates a file; an existing one is never overwritten. */
export const createFile: OpenFile = async (path): Promise<FileHandle> =>
  open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);

/** A file that an earlier program has opened. */
export function openedFile(fd: number): WritableFile {
  return {
    fd,
    writev: (pieces, position) => promisify(writev)(fd, pieces, position),
    truncate: (length) => promisify(ftruncate)(fd, length),
    stat: () => promisify(fstat)(fd),
    datasync: () => promisify(fdatasync)(fd),
    close: () => promisify(close)(fd),
  };
}

/** Appends pieces to a file, one write at a time, in order. */
export class WriteQueue {
  readonly #path: string;
  readonly #open: OpenFile;
  readonly #failed: WriteFailed;
  #file: WritableFile | null = null;
  #waiting: Uint8Array[] = [];
  #unwritten = 0;
  /** Number of bytes that are in the file. */
  #written = 0;
  #busy: Promise<void> | null = null;
  #hasFailed = false;
  /** Whether no write begins. */
  #isHeld = false;

  constructor(path: string, openFile: OpenFile, failed: WriteFailed) {
    this.#path = path;
    this.#open = openFile;
    this.#failed = failed;
  }

  get unwritten(): number {
    return this.#unwritten;
  }

  get written(): number {
    return this.#written;
  }

  add(pieces: readonly Uint8Array[]): void {
    for (const piece of pieces) {
      this.#waiting.push(piece);
      this.#unwritten += piece.length;
    }
    this.#begin();
  }

  /** Begins no write; what is added waits. */
  hold(): void {
    this.#isHeld = true;
  }

  resume(): void {
    this.#isHeld = false;
    this.#begin();
  }

  /** State for the next program. A write that is under way is repeated at the same place. */
  handOver(): { readonly written: number; readonly descriptor: number | null; readonly unwritten: Buffer } {
    return { written: this.#written, descriptor: this.#file?.fd ?? null, unwritten: Buffer.concat(this.#waiting) };
  }

  /** Continues the file of an earlier program. */
  adopt({ written, descriptor, unwritten }: { written: number; descriptor: number | null; unwritten: Uint8Array }): void {
    this.#written = written;
    this.#file = descriptor === null ? null : openedFile(descriptor);
    if (unwritten.length > 0) this.add([unwritten]);
  }

  /** Waits for all writes; resolves with whether everything is written. */
  async settled(): Promise<boolean> {
    while (this.#busy !== null) await this.#busy;
    return !this.#hasFailed && this.#unwritten === 0;
  }

  /** Checks whether the path still leads to the file, with all that was written. */
  async place(): Promise<FilePlace> {
    const written = this.#written;
    if (this.#file === null) return "kept";
    const [ours, there] = await Promise.all([this.#file.stat(), identityOf(this.#path)]);
    if (ours.nlink === 0 || ours.size < written) return "gone";
    return there?.ino === ours.ino && there.dev === ours.dev ? "kept" : "moved";
  }

  /** Discards data that could not be written, and cuts off a half-written piece. */
  async giveUp(): Promise<void> {
    await this.settled();
    this.#waiting = [];
    this.#unwritten = 0;
    await this.#file?.truncate(this.#written);
    await this.close();
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    if (file === null) return;
    try {
      await file.datasync();
    } finally {
      await file.close();
    }
  }

  #begin(): void {
    if (this.#busy !== null || this.#isHeld || this.#hasFailed || this.#waiting.length === 0) return;
    this.#busy = this.#write().finally(() => {
      this.#busy = null;
      this.#begin();
    });
  }

  async #write(): Promise<void> {
    try {
      this.#file ??= await this.#open(this.#path);
      const { bytesWritten } = await this.#file.writev(this.#waiting.slice(0, MAX_PIECES), this.#written);
      this.#accept(bytesWritten);
    } catch (error) {
      this.#hasFailed = !(await this.#failed(error));
    }
  }

  #accept(bytes: number): void {
    this.#written += bytes;
    this.#unwritten -= bytes;
    for (let left = bytes; left > 0; ) {
      const [first] = this.#waiting;
      if (first === undefined) break;
      if (first.length <= left) this.#waiting.shift();
      else this.#waiting[0] = first.subarray(left);
      left -= Math.min(left, first.length);
    }
  }
}

/** Null if there is no file. */
async function identityOf(path: string): Promise<FileIdentity | null> {
  try {
    return await lstat(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return null;
    throw error;
  }
}

/** Maximum number of pieces in one write: below the kernel's limit of 1,024. */
const MAX_PIECES = 512;
