import { closeSync, constants, fstatSync, writeSync } from "node:fs";
import { type FileHandle, rename, stat } from "node:fs/promises";
import { visibleJson } from "../base/text/visible-text.ts";
import { openStateFile, openStateFileAsync } from "../files/state-file.ts";
import { type Line, LineQueue, textOf } from "./line-queue.ts";

/** A file that would exceed this size, bytes, is renamed to `<path>.1`, replacing the previous one. */
const MAX_BYTES = 10 * 1024 * 1024;
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;

interface RotatedFileOptions {
  path: string;
  /** Maximum size of one file, bytes; there are two. */
  maxBytes?: number | undefined;
  lostLine: (count: number) => string;
}

interface OpenFile {
  readonly handle: FileHandle;
  readonly dev: number;
  readonly ino: number;
}

/** Appends JSON lines to a file of a state folder (mode 0600). Uses at most twice `maxBytes` of disk space. Never waits for the disk. */
export class RotatedFile {
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #queue: LineQueue;
  #file: OpenFile | null = null;
  #size = 0;

  /** Throws when the file cannot be opened. */
  constructor({ path, maxBytes = MAX_BYTES, lostLine }: RotatedFileOptions) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    // Reports the error now, not later by missing lines.
    closeSync(openStateFile(path, FLAGS));
    this.#queue = new LineQueue({ write: (lines) => this.#write(lines), lostLine });
  }

  /** `line` is a JSON value in one line, with its newline. The file may be viewed in a terminal. */
  write(line: Line): void {
    this.#queue.push({ length: line.length, text: () => visibleJson(textOf(line)) });
  }

  /** Writes the last lines before an exit that cannot wait. Never throws: a full disk must not change the exit code. */
  flushNow(): void {
    const rest = this.#queue.take();
    if (rest === "") return;
    let fd: number | null = null;
    try {
      fd = openStateFile(this.#path, FLAGS);
      writeSync(fd, rest);
    } catch {
      // The error cannot be reported anywhere.
    } finally {
      if (fd !== null) closeSync(fd);
    }
  }

  /** Resolves when everything is written, or the time limit for it is over. */
  async close(): Promise<void> {
    await this.#queue.drained();
    const file = this.#file;
    this.#file = null;
    // The close is not awaited: on a disk that hangs, it hangs as well.
    file?.handle.close().catch(() => undefined);
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
      const { bytesWritten } = await file.handle.write(text, at);
      at += bytesWritten;
      this.#size += bytesWritten;
    }
    return count;
  }

  /** If the file was removed or renamed by another program, creates a new one in its place. */
  async #open(): Promise<OpenFile> {
    if (this.#file !== null && !(await isAt(this.#file, this.#path))) {
      await this.#file.handle.close();
      this.#file = null;
    }
    if (this.#file === null) {
      const handle = await openStateFileAsync(this.#path, FLAGS);
      const { dev, ino, size } = fstatSync(handle.fd);
      this.#file = { handle, dev, ino };
      this.#size = size;
    }
    return this.#file;
  }

  async #setAside(): Promise<void> {
    await this.#file?.handle.close();
    this.#file = null;
    await rename(this.#path, `${this.#path}.1`);
  }
}

async function isAt({ dev, ino }: OpenFile, path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found?.ino === ino && found.dev === dev;
}
