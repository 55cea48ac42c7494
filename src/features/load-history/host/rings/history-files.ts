import { constants, type Dirent } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { MgrError } from "../../../../base/errors.ts";
import { SerialQueue } from "../../../../base/timing/serial-queue.ts";
import { isMissing, openStateFileAsync } from "../../../../files/state-file.ts";
import { makeStateFolder } from "../../../../files/state-folder.ts";
import { FolderCheck } from "./folder-check.ts";
import { decodeHeader, fitsHeader } from "./header.ts";
import { type Entry, FILE_NAME, fileNameOf, maxDescriptors, newEntry } from "./history-entry.ts";
import { HistoryFile, readImage } from "./history-file.ts";
import { fileBytes, HEADER_BYTES, layoutOf, MAX_LEVEL } from "./layout.ts";
import type { SlotStore } from "./slot-store.ts";
import { WaitingStores } from "./waiting-stores.ts";
import { WriteFailures, type WriteFailuresOptions } from "./write-failures.ts";

/** Disk space of all files of a host, bytes. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Files that stay open, at most: the others are opened for each write. */
const MAX_OPEN_FILES = 1_024;
/** They are at most this share of the descriptors that the daemon may open. */
const OPEN_FILES_SHARE = 1 / 8;
/** A file that was not written for so long may be removed to make room, milliseconds. */
const IDLE_MS = 3_600_000;
/** Retention of the slots of a file, milliseconds. */
const KEPT_MS = 30 * 24 * 3_600_000;
/** Rings become longer again where they would then take this much of the space. */
const LONGER_AT = 0.9;

export interface HistoryFilesOptions extends WriteFailuresOptions {
  readonly maxBytes?: number;
  readonly maxOpenFiles?: number;
}

/** The files of a host, one for each process, within a bound of disk space. Nothing here waits for a disk that hangs. */
export class HistoryFiles {
  readonly #options: HistoryFilesOptions;
  readonly #maxBytes: number;
  readonly #maxOpen: number;
  /** By the name of the process. */
  readonly #entries = new Map<string, Entry>();
  /** Entries whose file is open, in the order in which they were opened. */
  readonly #open = new Set<Entry>();
  readonly #waiting: WaitingStores;
  readonly #queue = new SerialQueue();
  readonly #failures: WriteFailures;
  readonly #folderCheck: FolderCheck;
  #level = 0;
  /** Resolves when there is room for all files that the save in progress creates; null: it has created none yet. */
  #room: Promise<void> | null = null;
  /** Whether the save or read in progress has found the folder, or made it. */
  #hasFolder = false;
  #isSaving = false;

  constructor(options: HistoryFilesOptions) {
    this.#options = options;
    this.#waiting = new WaitingStores(options.clock);
    this.#failures = new WriteFailures(options);
    this.#folderCheck = new FolderCheck(options.folder, options.clock);
    this.#maxBytes = options.maxBytes ?? MAX_BYTES;
    this.#maxOpen = options.maxOpenFiles ?? Math.min(MAX_OPEN_FILES, Math.floor(maxDescriptors() * OPEN_FILES_SHARE));
  }

  /** Processes that have a file. */
  get names(): string[] {
    return [...this.#entries.values()].map(({ name }) => name);
  }

  /** Finds the files of earlier daemons. Never rejects. */
  begin(): Promise<void> {
    return this.#queue.run(async () => {
      try {
        makeStateFolder(this.#options.folder);
        for (const entry of await readdir(this.#options.folder, { withFileTypes: true })) await this.#find(entry);
        await this.#removeOld();
        await this.#fit();
      } catch (error) {
        this.#failures.failed(error);
      }
    });
  }

  /** The store has slots to be written, by the next `save`. */
  changed(store: SlotStore): void {
    this.#waiting.add(store);
  }

  /** Writes what is due. Never rejects. */
  async save(): Promise<void> {
    if (this.#isSaving) return;
    this.#isSaving = true;
    await this.#queue.run(() => this.#saveAll());
    this.#isSaving = false;
  }

  /** Runs `read` with the file of a process; null: it has none, or the file cannot be read. */
  read<T>(name: string, series: number, read: (file: HistoryFile | null) => Promise<T>): Promise<T> {
    return this.#queue.run(async () => {
      const known = this.#entries.has(name);
      this.#hasFolder = false;
      const file = known ? await this.#openFile(name, series).catch((error: unknown) => this.#failures.failed(error)) : null;
      try {
        return await read(file);
      } finally {
        await this.#closeSpare();
      }
    });
  }

  /** The process has ended and everything is written. */
  release(name: string): Promise<void> {
    return this.#queue.run(async () => {
      await this.#close(this.#entries.get(name));
    });
  }

  /** Removes what is too old. Called now and then. */
  tend(): Promise<void> {
    return this.#queue.run(async () => {
      try {
        await this.#removeOld();
        await this.#fit();
      } catch (error) {
        this.#failures.failed(error);
      }
    });
  }

  /** Writes what waits, and closes the files. */
  async close(): Promise<void> {
    await this.#queue.run(async () => {
      this.#failures.retryNow();
      await this.#saveAll(true);
      for (const entry of this.#entries.values()) await this.#close(entry);
    });
  }

  async #saveAll(isLast = false): Promise<void> {
    if (!this.#failures.isDue) return;
    let hasFailed = false;
    let hasSaved = false;
    this.#room = null;
    this.#hasFolder = false;
    await this.#folderCheck.run();
    // Slots that are added meanwhile are saved by the next call: the store changes again within seconds.
    for (const store of isLast ? this.#waiting.all : this.#waiting.due()) {
      this.#waiting.delete(store);
      try {
        await this.#save(store);
        hasSaved = true;
      } catch (error) {
        this.#waiting.add(store);
        this.#failures.failed(error);
        hasFailed = true;
        // A file that cannot be used is no reason to leave the others out.
        if (!(error instanceof MgrError)) return;
      }
    }
    if (hasSaved && !hasFailed) this.#failures.ended();
  }

  async #save(store: SlotStore): Promise<void> {
    if (store.isSaved) return;
    const entry = this.#entries.get(store.name);
    if (entry) await this.#checkPlace(entry);
    await store.save(await this.#openFile(store.name, store.series));
    const written = this.#entries.get(store.name);
    if (written) written.writtenAt = this.#options.clock.now();
    await this.#closeSpare();
  }

  /** A file that was removed is written again. */
  async #checkPlace(entry: Entry): Promise<void> {
    if (entry.file === null || entry.checkedAt > this.#folderCheck.changedAt) return;
    entry.checkedAt = this.#options.clock.monotonic();
    if (await entry.file.isInPlace()) return;
    await this.#close(entry);
    entry.extents = null;
  }

  async #openFile(name: string, series: number): Promise<HistoryFile> {
    const known = this.#entries.get(name);
    if (known?.file) return known.file;
    if (!fitsHeader(name)) throw new MgrError("conflict", "the name of a process is too long for a file");
    const entry = known ?? newEntry(name, series, this.#options.clock.now(), this.#level);
    if (!known) this.#entries.set(name, entry);
    try {
      if (!this.#hasFolder) makeStateFolder(this.#options.folder);
      this.#hasFolder = true;
      if (!known) {
        // Once for all files of a save, which it counts: there may be 10,000.
        this.#room ??= this.#fit();
        await this.#room;
      }
      return await this.#openEntry(entry);
    } catch (error) {
      if (!known) this.#entries.delete(name);
      throw error;
    }
  }

  async #openEntry(entry: Entry): Promise<HistoryFile> {
    const header = { name: entry.name, layout: layoutOf(entry.series, entry.level) };
    const path = this.#pathOf(fileNameOf(entry.name));
    entry.file = await HistoryFile.open(path, header, this.#options.clock.now(), entry.extents);
    entry.checkedAt = this.#options.clock.monotonic();
    this.#open.add(entry);
    return entry.file;
  }

  /** Removes idle files, oldest first, and then shortens all rings, until there is enough space. */
  async #fit(): Promise<void> {
    while (this.#bytesAt(this.#level) > this.#maxBytes) {
      const oldest = this.#idle(IDLE_MS)[0];
      if (oldest !== undefined) await this.#remove(oldest);
      else if (this.#level < MAX_LEVEL) this.#level++;
      else throw new MgrError("too_large", `so many files do not fit into ${this.#maxBytes} bytes`);
    }
    while (this.#level > 0 && this.#bytesAt(this.#level - 1) <= this.#maxBytes * LONGER_AT) this.#level--;
    for (const entry of this.#entries.values()) {
      if (entry.level === this.#level) continue;
      const isOpen = entry.file !== null;
      await this.#close(entry);
      entry.level = this.#level;
      entry.extents = null;
      // Opening changes the length; a file that is missing is created when it is written.
      if (!isOpen && (await readImage(this.#pathOf(fileNameOf(entry.name)))) === null) continue;
      await this.#openEntry(entry);
      if (!isOpen) await this.#close(entry);
    }
  }

  async #find(found: Dirent): Promise<void> {
    if (!FILE_NAME.test(found.name)) return;
    const path = this.#pathOf(found.name);
    try {
      await using file = await openStateFileAsync(path, constants.O_RDONLY);
      const bytes = new Uint8Array(HEADER_BYTES);
      const [{ mtimeMs }] = await Promise.all([file.stat(), file.read(bytes, 0, HEADER_BYTES, 0)]);
      const header = decodeHeader(bytes.buffer);
      if (header === null || fileNameOf(header.name) !== found.name) return await rm(path);
      const { series, slots } = header.layout;
      const level = Array.from({ length: MAX_LEVEL + 1 }, (_, each) => each).find((each) => layoutOf(series, each).slots[0] === slots[0]);
      this.#entries.set(header.name, newEntry(header.name, series, mtimeMs, level ?? MAX_LEVEL));
      this.#level = Math.max(this.#level, level ?? 0);
    } catch (error) {
      if (!isMissing(error)) this.#failures.failed(error);
    }
  }

  async #removeOld(): Promise<void> {
    for (const entry of this.#idle(KEPT_MS)) await this.#remove(entry);
  }

  /** Files that were not written for so long, the oldest first. */
  #idle(milliseconds: number): Entry[] {
    const before = this.#options.clock.now() - milliseconds;
    return [...this.#entries.values()].filter(({ writtenAt }) => writtenAt < before).sort((a, b) => a.writtenAt - b.writtenAt);
  }

  async #remove(entry: Entry): Promise<void> {
    await this.#close(entry);
    this.#entries.delete(entry.name);
    await rm(this.#pathOf(fileNameOf(entry.name)), { force: true });
  }

  async #closeSpare(): Promise<void> {
    while (this.#open.size > this.#maxOpen) await this.#close([...this.#open].at(-1));
  }

  async #close(entry: Entry | undefined): Promise<void> {
    const file = entry?.file;
    if (entry === undefined || !file) return;
    entry.file = null;
    entry.extents = file.extents;
    this.#open.delete(entry);
    await file.close();
  }

  /** Bytes of all files that exist, and of those that come next: rings need not be shortened again for each of them. */
  #bytesAt(level: number): number {
    const files = new Map<number, number>();
    const count = (series: number) => files.set(series, (files.get(series) ?? 0) + 1);
    for (const { series } of this.#entries.values()) count(series);
    const next = new Map(this.#waiting.all.map(({ name, series }) => [name, series]));
    for (const [name, series] of next) if (!this.#entries.has(name)) count(series);
    return [...files].reduce((sum, [series, number]) => sum + number * fileBytes(layoutOf(series, level)), 0);
  }

  #pathOf(fileName: string): string {
    return join(this.#options.folder, fileName);
  }
}
