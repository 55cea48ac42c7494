// The intent of all processes in memory, and when it is saved: the interface for the manager.
import * as fs from "node:fs/promises";
import { dirname } from "node:path";
import { MgrError, messageOf } from "../../base/errors.ts";
import type { FileSystem } from "../../files/replace-file.ts";
import { IntentFiles, MIN_FULL_JOURNAL_BYTES } from "./intent-files.ts";
import { changeText, type IntentHeader, type LoadedIntent, loadIntent, snapshotText } from "./intent-format.ts";
import { type ProcessIntent, withoutStart } from "./process-intent.ts";

export interface IntentStoreOptions {
  /** Wall clock, milliseconds since 1970. */
  now?: () => number;
  fileSystem?: FileSystem;
  /** Minimum size of a journal that is replaced, bytes. */
  minFullJournalBytes?: number;
}

/**
 * The requested state and settings, and the counters that must grow across restarts, in one small file with a journal of later changes
 * (mode 0600, JSON, fields of newer versions are kept). Changes are held in memory until `flush`, which makes all of them durable in one
 * write. One store at a time may have a file open; the manager's lock ensures that.
 */
export class IntentStore {
  /** The warning to log if a damaged file was set aside, else null. */
  readonly warning: string | null;
  /** True if there is no state of an earlier manager: no file, or a damaged one. */
  readonly isNew: boolean;
  readonly #path: string;
  readonly #now: () => number;
  readonly #files: IntentFiles;
  readonly #processes: Map<string, ProcessIntent>;
  readonly #rest: IntentHeader;
  /** Names of processes and fields of the header that have changed since the last write. */
  readonly #changed = new Set<string>();
  readonly #changedFields = new Set<"epoch" | "last_log_id">();
  /** Whether the next write is a snapshot, even without changes. */
  #isSnapshotDue = false;
  #isEnding = false;
  #writing: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  private constructor(path: string, loaded: LoadedIntent, options: IntentStoreOptions) {
    this.warning = loaded.warning;
    this.isNew = loaded.isNew;
    this.#path = path;
    this.#now = options.now ?? Date.now;
    const { fileSystem = fs, minFullJournalBytes = MIN_FULL_JOURNAL_BYTES } = options;
    this.#files = new IntentFiles(path, { fileSystem, minFullJournalBytes });
    this.#processes = loaded.processes;
    this.#rest = loaded.rest;
  }

  /** Reads `path` and its journal, or starts empty if it is missing or damaged (then it is renamed as `<path>.damaged-<n>`). */
  static async open(path: string, options: IntentStoreOptions = {}): Promise<IntentStore> {
    await fs.mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return new IntentStore(path, await loadIntent(path), options);
  }

  get(name: string): Readonly<ProcessIntent> {
    return this.#processes.get(name) ?? {};
  }

  /** Changes the intent of a process. Not durable before the next `flush` has resolved. */
  set(name: string, patch: ProcessIntent): void {
    this.#replace(name, Object.assign({}, this.#processes.get(name), patch));
  }

  names(): Iterable<string> {
    return this.#processes.keys();
  }

  /** Drops a pending start request of `name`; keeps stop requests and settings. Not durable before the next `flush`. */
  forgetStart(name: string): void {
    const intent = this.get(name);
    const rest = withoutStart(intent);
    if (rest === intent) return;
    this.#replace(name, rest);
  }

  #replace(name: string, intent: ProcessIntent): void {
    this.#processes.set(name, intent);
    this.#changed.add(name);
  }

  /** Highest id of a log entry that an earlier manager persisted, 0 if none. */
  get lastLogId(): number {
    return this.#rest.last_log_id;
  }

  /** Sets the highest id of a log entry, which is saved with the next write. */
  rememberLogId(id: number): void {
    if (id === this.#rest.last_log_id) return;
    this.#rest.last_log_id = id;
    this.#changedFields.add("last_log_id");
  }

  /** Epoch of this boot, once `nextEpoch` was called. */
  get epoch(): number {
    return this.#rest.epoch;
  }

  /**
   * Raises and returns the epoch, durable when this resolves. It is higher than every earlier one, and at least the time in milliseconds, so that
   * it grows even if the file was lost or damaged and the next manager starts in the same second: hosts obey the manager with the highest epoch.
   */
  async nextEpoch(): Promise<number> {
    const epoch = Math.max(this.#rest.epoch + 1, Math.floor(this.#now()));
    this.#rest.epoch = epoch;
    this.#changedFields.add("epoch");
    await this.flush();
    return epoch;
  }

  /**
   * Resolves once every change made so far, and those of the rest of this turn, are on the disk. Calls of one turn share
   * a write, and one write is in flight at a time. After a failure the changes are written by the next flush.
   */
  flush(): Promise<void> {
    this.#next ??= this.#writeNext();
    return this.#next;
  }

  /** Names of the files that were removed, or that another program replaced or changed: `rewrite` makes them again. */
  lostFiles(): Promise<string[]> {
    return this.#files.lost();
  }

  /** Like `flush`, but also writes without changes, and the whole file. */
  rewrite(): Promise<void> {
    this.#isSnapshotDue = true;
    return this.flush();
  }

  /** From the next `flush` on, the file has everything, and there is no journal. */
  endJournal(): void {
    this.#isEnding = true;
    this.#isSnapshotDue = true;
  }

  async #writeNext(): Promise<void> {
    const previous = this.#writing;
    const { promise, resolve } = withResolvers();
    this.#writing = promise;
    try {
      await endOfTurn();
      await previous;
      this.#next = null; // From here on changes are too late for this write.
      await this.#write();
    } catch (error) {
      this.#isSnapshotDue = true;
      resolve();
      throw new MgrError("internal", `cannot save the requested states to ${this.#path}: ${messageOf(error)}`, { cause: error });
    }
    // Callers that wait for this write do not wait for the next journal.
    void this.#renewJournal().then(resolve);
  }

  async #write(): Promise<void> {
    if (!this.#isSnapshotDue && this.#changed.size === 0 && this.#changedFields.size === 0) return;
    const line = this.#isSnapshotDue || !this.#files.hasJournal ? null : this.#changes();
    this.#isSnapshotDue = false;
    this.#changed.clear();
    this.#changedFields.clear();
    if (line !== null) return this.#files.append(line);
    await this.#writeSnapshot();
    if (this.#isEnding) await this.#files.removeJournal();
  }

  #changes(): string {
    const fields = Object.fromEntries(Array.from(this.#changedFields, (field) => [field, this.#rest[field]]));
    return changeText(
      fields,
      Array.from(this.#changed, (name) => [name, this.get(name)]),
    );
  }

  #writeSnapshot(): Promise<void> {
    return this.#files.writeSnapshot((journal) => snapshotText({ ...this.#rest, journal }, this.#processes));
  }

  async #renewJournal(): Promise<void> {
    if (this.#isEnding) return;
    try {
      if (this.#files.isJournalFull) await this.#writeSnapshot();
      await this.#files.beginJournal();
    } catch {
      // All saved changes are on the disk. Without a journal the next save is a snapshot, which reports the problem if it persists.
    }
  }
}

function endOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
