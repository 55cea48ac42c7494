import * as fs from "node:fs/promises";
import { dirname } from "node:path";
import { MgrError, messageOf } from "../../base/errors.ts";
import { type FileSystem, writeFileAtomically } from "./atomic-file.ts";
import { type IntentHeader, type LoadedIntent, loadIntent, type ProcessIntent, withoutStart } from "./intent-file.ts";

export interface IntentStoreOptions {
  /** Wall clock, milliseconds since 1970. */
  now?: () => number;
  fileSystem?: FileSystem;
}

/**
 * The requested state and settings, and the counters that must grow across restarts, in one small file (mode 0600, JSON,
 * fields of newer versions are kept). Changes are held in memory until `flush`, which makes all of them durable in one write.
 * One store at a time may have a file open; the manager's lock sees to that.
 */
export class IntentStore {
  /** The sentence to log when a damaged file had to be set aside, else null. */
  readonly warning: string | null;
  /** True if there is no state of an earlier manager: no file, or a damaged one. */
  readonly isNew: boolean;
  readonly #path: string;
  readonly #now: () => number;
  readonly #fileSystem: FileSystem;
  readonly #processes: Map<string, ProcessIntent>;
  readonly #rest: IntentHeader;
  /** The line of each process in the file, unless it has changed. Those of 10,000 processes are not made again for each change of one. */
  readonly #lines = new Map<string, string>();
  #changed = false;
  #writing: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  private constructor(path: string, loaded: LoadedIntent, options: IntentStoreOptions) {
    this.warning = loaded.warning;
    this.isNew = loaded.isNew;
    this.#path = path;
    this.#now = options.now ?? Date.now;
    this.#fileSystem = options.fileSystem ?? fs;
    this.#processes = loaded.processes;
    this.#rest = loaded.rest;
  }

  /** Reads `path`, or starts empty if it is missing or damaged (then it is renamed as `<path>.damaged-<n>`). */
  static async open(path: string, options: IntentStoreOptions = {}): Promise<IntentStore> {
    await fs.mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return new IntentStore(path, await loadIntent(path), options);
  }

  get(name: string): Readonly<ProcessIntent> {
    return this.#processes.get(name) ?? {};
  }

  /** Not durable before the next `flush` has resolved. */
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
    this.#lines.delete(name);
    this.#changed = true;
  }

  /** Highest id of a log entry that an earlier manager persisted, 0 if none. */
  get lastLogId(): number {
    return this.#rest.last_log_id;
  }

  /** Saved with the next write. */
  rememberLogId(id: number): void {
    if (id === this.#rest.last_log_id) return;
    this.#rest.last_log_id = id;
    this.#changed = true;
  }

  /** Of this boot, once `nextEpoch` was called. */
  get epoch(): number {
    return this.#rest.epoch;
  }

  /**
   * The epoch of this boot, higher than every earlier one, durable when this resolves. It is at least the time in
   * seconds, so that it grows even if the file was lost or damaged: hosts obey the manager with the highest epoch.
   */
  async nextEpoch(): Promise<number> {
    const epoch = Math.max(this.#rest.epoch + 1, Math.floor(this.#now() / 1_000));
    this.#rest.epoch = epoch;
    this.#changed = true;
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

  /** Like `flush`, but also writes without changes: if the file is gone or was replaced. */
  rewrite(): Promise<void> {
    this.#changed = true;
    return this.flush();
  }

  async #writeNext(): Promise<void> {
    const previous = this.#writing;
    const { promise, resolve } = withResolvers();
    this.#writing = promise;
    try {
      await endOfTurn();
      await previous;
      this.#next = null; // From here on changes are too late for this write.
      if (!this.#changed) return;
      this.#changed = false;
      await this.#write();
    } finally {
      resolve();
    }
  }

  /** One line per process. */
  #text(): string {
    const lines: string[] = [];
    for (const name of this.#processes.keys()) {
      let line = this.#lines.get(name);
      if (line === undefined) {
        line = `  ${JSON.stringify(name)}: ${JSON.stringify(this.#processes.get(name))}`;
        this.#lines.set(name, line);
      }
      lines.push(line);
    }
    const header = JSON.stringify(this.#rest, null, 1).replace(/\n\}$/, "");
    return `${header},\n "processes": {\n${lines.join(",\n")}\n }\n}\n`;
  }

  async #write(): Promise<void> {
    const content = this.#text();
    try {
      await writeFileAtomically(this.#path, content, this.#fileSystem);
    } catch (error) {
      this.#changed = true;
      throw new MgrError("internal", `cannot save the requested states to ${this.#path}: ${messageOf(error)}`, { cause: error });
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
