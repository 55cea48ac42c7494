import { closeSync, constants, fstatSync, openSync, writeSync } from "node:fs";
import { type FileHandle, open, rename, stat } from "node:fs/promises";
import { visibleJson } from "../base/visible-text.ts";
import { LineQueue } from "./line-queue.ts";

/** A file that would become larger is set aside as `<path>.1`, in place of the one set aside before, bytes. */
const MAX_BYTES = 10 * 1024 * 1024;
// O_NONBLOCK: opening a named pipe that nobody reads has to fail instead of stopping the whole program.
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

interface RotatedFileOptions {
  path: string;
  /** Bytes of one file; there are two. */
  maxBytes?: number;
  lostLine: (count: number) => string;
}

/** Appends JSON lines to a file (mode 0600) that never takes more than twice `maxBytes` of the disk. Never waits for the disk. */
export class RotatedFile {
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #queue: LineQueue;
  #file: FileHandle | null = null;
  #size = 0;

  /** Throws when the file cannot be opened. */
  constructor({ path, maxBytes = MAX_BYTES, lostLine }: RotatedFileOptions) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    // Told at once, and not by lines that are missing.
    closeSync(openSync(path, FLAGS, 0o600));
    this.#queue = new LineQueue({ write: (lines) => this.#write(lines), lostLine });
  }

  /** A JSON value in one line, with its newline. A person may look at the file in a terminal. */
  write(line: string): void {
    this.#queue.push(visibleJson(line));
  }

  /** For the last lines before an end that waits for nothing. Never throws: a full disk must not change the exit code. */
  flushNow(): void {
    const rest = this.#queue.take();
    if (rest === "") return;
    let fd: number | null = null;
    try {
      fd = openSync(this.#path, FLAGS, 0o600);
      writeSync(fd, rest);
    } catch {
      // There is no other place to tell it, and no later.
    } finally {
      if (fd !== null) closeSync(fd);
    }
  }

  /** Resolves when everything is written, or the disk had its time. */
  async close(): Promise<void> {
    await this.#queue.drained();
    const file = this.#file;
    this.#file = null;
    // Not awaited: a disk that stands still closes nothing either.
    file?.close().catch(() => undefined);
  }

  async #write(lines: readonly string[]): Promise<number> {
    const file = await this.#open();
    let bytes = 0;
    const fitting = lines.findIndex((line) => {
      bytes += Buffer.byteLength(line);
      return this.#size + bytes > this.#maxBytes;
    });
    if (fitting === 0 && this.#size > 0) {
      await this.#setAside();
      return this.#write(lines);
    }
    const count = fitting < 0 ? lines.length : Math.max(1, fitting);
    const text = Buffer.from(lines.slice(0, count).join(""));
    for (let at = 0; at < text.length; ) {
      const { bytesWritten } = await file.write(text, at);
      at += bytesWritten;
      this.#size += bytesWritten;
    }
    return count;
  }

  /** A file that was removed or renamed by others is left, and a new one begun in its place. */
  async #open(): Promise<FileHandle> {
    if (this.#file !== null && !(await isAt(this.#file, this.#path))) {
      await this.#file.close();
      this.#file = null;
    }
    if (this.#file === null) {
      this.#file = await open(this.#path, FLAGS, 0o600);
      this.#size = fstatSync(this.#file.fd).size;
    }
    return this.#file;
  }

  async #setAside(): Promise<void> {
    await this.#file?.close();
    this.#file = null;
    await rename(this.#path, `${this.#path}.1`);
  }
}

async function isAt(file: FileHandle, path: string): Promise<boolean> {
  const [ours, there] = await Promise.all([file.stat(), stat(path).catch(() => null)]);
  return there?.ino === ours.ino && there.dev === ours.dev;
}
