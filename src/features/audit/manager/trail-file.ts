import { constants } from "node:fs";
import { type FileHandle, open, rm, stat } from "node:fs/promises";
import { openStateFileAsync } from "../../../files/state-file.ts";
import { makeStateFolder } from "../../../files/state-folder.ts";
import { trailFiles, trailPath } from "../trail/files.ts";
import { writeKey } from "./trail-opening.ts";

/** Each write is on the disk when it returns: one trip to the thread pool instead of two for a write and a sync. */
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_DSYNC;
/** Time for which a file that was found at its path is assumed to be there, milliseconds. */
const CHECK_INTERVAL_MS = 2_000;

interface TrailFileOptions {
  readonly folder: string;
  readonly key: Buffer;
  readonly monotonic: () => number;
  /** Called with the path of a file that was removed or replaced while it was in use. */
  readonly onRemoved: (path: string) => void;
}

/** The file that is written, held open. After a failure it ends where it ended before. */
export class TrailFile {
  readonly #options: TrailFileOptions;
  #open: { readonly number: number; readonly handle: FileHandle; size: number; checkedAt: number } | null = null;

  /** The file that may end in a part of a line, and its size without that. */
  #repair: { readonly number: number; readonly size: number } | null = null;

  constructor(options: TrailFileOptions) {
    this.#options = options;
  }

  /** Resolves when the text is on the disk. One call at a time. `oldest`: files before it are removed when a file is created. */
  async append(number: number, text: string, oldest: number): Promise<void> {
    const file = await this.#fileOf(number, oldest);
    const bytes = Buffer.from(text);
    try {
      await file.handle.writeFile(bytes);
      file.size += bytes.length;
    } catch (error) {
      // A part of a line would look like damage: it is removed before the next write.
      this.#repair = { number, size: file.size };
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    const { handle } = this.#open ?? {};
    this.#open = null;
    await handle?.close();
  }

  async #fileOf(number: number, oldest: number) {
    if (this.#open?.number === number && (await this.#isInPlace(this.#open))) return this.#open;
    const { folder, monotonic } = this.#options;
    await this.close();
    makeStateFolder(folder);
    const handle = await openStateFileAsync(trailPath(folder, number), APPEND);
    try {
      if (this.#repair?.number === number) await handle.truncate(Math.min(this.#repair.size, (await handle.stat()).size));
      this.#repair = null;
      const { size } = await handle.stat();
      if (size === 0) await this.#created(oldest);
      this.#open = { number, handle, size, checkedAt: monotonic() };
      return this.#open;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** A file was created: its name must outlive a power cut, and the oldest ones make room. */
  async #created(oldest: number): Promise<void> {
    const { folder } = this.#options;
    const directory = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
    for (const number of await trailFiles(folder)) if (number < oldest) await rm(trailPath(folder, number), { force: true });
  }

  async #isInPlace(file: { readonly number: number; readonly handle: FileHandle; checkedAt: number }): Promise<boolean> {
    const { folder, key, monotonic, onRemoved } = this.#options;
    if (monotonic() - file.checkedAt < CHECK_INTERVAL_MS) return true;
    const path = trailPath(folder, file.number);
    const [ours, found] = await Promise.all([file.handle.stat(), stat(path).catch(() => null)]);
    file.checkedAt = monotonic();
    if (found?.ino === ours.ino && found.dev === ours.dev) return true;
    onRemoved(path);
    makeStateFolder(folder);
    // Lines are sealed with this key, even if its file was removed too.
    writeKey(folder, key);
    return false;
  }
}
