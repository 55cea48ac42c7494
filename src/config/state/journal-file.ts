// The journal on the disk: appends lines to `intent.journal`, which it holds open.
import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { createFile, type FileSystem, moveIntoPlace, temporaryPath, type WrittenFile } from "../../files/replace-file.ts";

/** Each write is on the disk when it returns: one trip to the thread pool instead of two for a write and a sync. */
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_DSYNC;

/** A file that only grows, held open. After a failure its last line may be torn, so it must not be used any more. */
export class JournalFile {
  readonly #file: FileHandle;
  readonly #dev: number;
  readonly #ino: number;
  /** Bytes that are on the disk; `#maxSize` includes those of a write under way. */
  #size: number;
  #maxSize: number;

  private constructor(file: FileHandle, { dev, ino, size }: WrittenFile) {
    this.#file = file;
    this.#dev = dev;
    this.#ino = ino;
    this.#size = size;
    this.#maxSize = size;
  }

  /** Replaces `path` by a file with this header, durably and as a whole. Mode 0600. */
  static async begin(path: string, header: string, fileSystem: FileSystem): Promise<JournalFile> {
    const file = await createFile(temporaryPath(path), APPEND, fileSystem);
    try {
      await file.writeFile(header);
      const written = await file.stat();
      await moveIntoPlace(path, fileSystem);
      return new JournalFile(file, written);
    } catch (error) {
      await Promise.all([file.close(), fileSystem.rm(temporaryPath(path), { force: true })]);
      throw error;
    }
  }

  get size(): number {
    return this.#size;
  }

  /** Resolves when the line is on the disk. One call at a time. */
  async append(line: string): Promise<void> {
    const bytes = Buffer.from(line);
    this.#maxSize = this.#size + bytes.length;
    await this.#file.writeFile(bytes);
    this.#size = this.#maxSize;
  }

  /** Returns a test whether the file found at its path is this one. */
  expectation(): (found: WrittenFile) => boolean {
    const minSize = this.#size;
    return ({ dev, ino, size }) => dev === this.#dev && ino === this.#ino && size >= minSize && size <= this.#maxSize;
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
