import { mkdir, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDiskFull, MgrError, messageOf } from "../../../base/errors.ts";

/** Maximum number of concurrent downloads of one kind: each keeps a processor and a disk busy. */
const MAX_DOWNLOADS = 2;

/** A file that is written for one download. It exists until `close`. */
export interface DownloadedFile {
  /** Size in bytes. */
  readonly size: number;
  read(from: number, max: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Removes files that downloads of a killed manager left in its state folder. */
export async function removeOldDownloads(stateDir: string): Promise<void> {
  await rm(downloadsFolder(stateDir), { recursive: true, force: true });
}

export function downloadsFolder(stateDir: string): string {
  return join(stateDir, "downloads");
}

/** Files that are written for downloads; they exist while they are sent. */
export class Downloads {
  readonly #folder: string;
  readonly #kind: string;
  readonly #end = new AbortController();
  #count = 0;

  /** `folder`: null selects the system's folder for temporary files. `kind`: `logger` or `recording`. */
  constructor(folder: string | null, kind: string) {
    this.#folder = folder ?? tmpdir();
    this.#kind = kind;
  }

  /**
   * `write` writes a file into the folder that it gets, and resolves with its path. Rejects as it does, with `busy`, with `internal` if the disk is full, or
   * with the reason of a signal.
   */
  async write(ended: AbortSignal, write: (folder: () => Promise<string>, signal: AbortSignal) => Promise<string>): Promise<DownloadedFile> {
    if (this.#count >= MAX_DOWNLOADS)
      throw new MgrError("busy", `${MAX_DOWNLOADS} downloads of ${this.#kind}s are under way: try again when one of them is over`);
    this.#count++;
    const signal = AbortSignal.any([ended, this.#end.signal]);
    let dir: string | null = null;
    const remove = async () => {
      this.#count--;
      if (dir !== null) await rm(dir, { recursive: true, force: true });
    };
    const folder = async () => {
      signal.throwIfAborted();
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      dir ??= await mkdtemp(join(this.#folder, `mgr-${this.#kind}-`));
      return dir;
    };
    try {
      const path = await write(folder, signal);
      return await openDownload(path, await folder(), remove);
    } catch (error) {
      await remove();
      if (!isDiskFull(error)) throw error;
      throw new MgrError("internal", `the disk of ${this.#folder} is full: make room there, then download again (${messageOf(error)})`, {
        cause: error,
      });
    }
  }

  /** Aborts the downloads under way. */
  close(): void {
    this.#end.abort(new MgrError("shutting_down", "the manager is shutting down: download again when it is back"));
  }
}

async function openDownload(path: string, dir: string, remove: () => Promise<void>): Promise<DownloadedFile> {
  const file = await open(path, "r");
  // An open file stays readable without its name, so nothing is left on disk if the manager is killed while sending.
  await rm(dir, { recursive: true, force: true });
  const { size } = await file.stat();
  let isClosed = false;
  return {
    size,
    async read(from, max) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(max, size - from)), 0, undefined, from);
      return buffer.subarray(0, bytesRead);
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await file.close();
      await remove();
    },
  };
}
