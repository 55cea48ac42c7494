import { constants } from "node:fs";
import * as fs from "node:fs/promises";
import { basename } from "node:path";
import type { FileSystem } from "../../../src/files/replace-file.ts";

interface Stop {
  /** Number of the step, from 1 on. */
  at: number;
  /** `fail`: this step and all after it are refused, as on a full disk. `crash`: they never end, as after kill -9. */
  how: "fail" | "crash";
  /** How much of a write at which it stops is on the disk, 0 to 1. */
  torn?: number;
}

/** The real file system; what is written may stop at any step: open, write, sync, rename, remove. */
export class StoppableFiles implements AsyncDisposable {
  /** The steps so far, such as "write intent.json". */
  readonly steps: string[] = [];
  readonly fileSystem: FileSystem;
  /** Resolves when it has stopped as in a crash. */
  readonly crashed: Promise<void>;
  /** Writes that were under way at the same time. */
  mostWrites = 0;
  #writes = 0;
  #stop: Stop | null;
  #notifyCrashed = () => {};
  readonly #handles: fs.FileHandle[] = [];
  readonly #inFlight = new Set<Promise<unknown>>();

  constructor(stop: Stop | null = null) {
    this.#stop = stop;
    this.crashed = new Promise((resolve) => {
      this.#notifyCrashed = resolve;
    });
    this.fileSystem = {
      rm: (path, options) => this.#step(`remove ${nameOf(path)}`, () => fs.rm(path, options)),
      rename: (from, to) => this.#step(`rename ${nameOf(from)}`, () => fs.rename(from, to)),
      open: (path, flags, mode) => this.#step(`open ${nameOf(path)}`, () => this.#open(String(path), flags, mode)),
    };
  }

  /** From the next step on it stops so, or no longer. */
  stop(how: Stop["how"] | null): void {
    this.#stop = how === null ? null : { at: this.steps.length + 1, how };
  }

  async #open(path: string, flags?: string | number, mode?: number | string): Promise<fs.FileHandle> {
    const handle = await fs.open(path, flags, mode);
    this.#handles.push(handle);
    const { writeFile, sync } = handle;
    const kind = typeof flags === "number" && (flags & constants.O_APPEND) !== 0 ? "append" : "write";
    handle.writeFile = (data) => {
      const bytes = Buffer.from(data as string | Buffer);
      const tear = (part: number) => writeFile.call(handle, bytes.subarray(0, Math.floor(bytes.length * part)));
      return this.#step(`${kind} ${nameOf(path)}`, () => this.#count(writeFile.call(handle, bytes)), tear);
    };
    handle.sync = () => this.#step(`sync ${nameOf(path)}`, () => sync.call(handle));
    return handle;
  }

  async #step<T>(name: string, action: () => Promise<T>, tear?: (part: number) => Promise<unknown>): Promise<T> {
    this.steps.push(name);
    const stop = this.#stop;
    if (stop === null || this.steps.length < stop.at) return this.#follow(action());
    if (this.steps.length === stop.at && stop.torn && tear) await this.#follow(tear(stop.torn));
    if (stop.how === "fail") throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
    this.#notifyCrashed();
    return new Promise(() => {});
  }

  async #count(write: Promise<void>): Promise<void> {
    this.mostWrites = Math.max(this.mostWrites, ++this.#writes);
    await write;
    this.#writes--;
  }

  /** Resolves when no operation of the real file system is under way: after a crash, nothing changes the folder from then on. */
  async settled(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.allSettled(this.#inFlight);
  }

  async #follow<T>(action: Promise<T>): Promise<T> {
    this.#inFlight.add(action);
    try {
      return await action;
    } finally {
      this.#inFlight.delete(action);
    }
  }

  /** Closes what a program would have closed by its end. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.settled();
    for (const handle of this.#handles) if (handle.fd >= 0) await handle.close();
  }
}

/** Without the marks of a temporary file. */
function nameOf(path: unknown): string {
  return basename(String(path)).replace(/^\.(.*)\.new$/, "$1");
}
