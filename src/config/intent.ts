import * as fs from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import { MgrError, messageOf } from "../base/errors.ts";
import { type FileSystem, writeFileAtomically } from "./atomic-file.ts";

const VERSION = 1;
const counter = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const dimension = z.number().int().min(1).max(65_535);

const processIntent = z.looseObject({
  requested_state: z.enum(["start", "stop"]).exactOptional(),
  /** Terminal size of the last `send_winch`. */
  rows: dimension.exactOptional(),
  cols: dimension.exactOptional(),
});
const intentFile = z.looseObject({
  version: z.number().int().min(1),
  epoch: counter,
  last_log_id: counter,
  // Not a record: zod drops a key `__proto__`.
  processes: z.custom<Record<string, unknown>>((value) => typeof value === "object" && value !== null && !Array.isArray(value)),
});
/** All but `processes`; fields of newer versions are in it, too. */
interface IntentHeader {
  version: number;
  epoch: number;
  last_log_id: number;
}

/** What users want of a process. A name without `requested_state` follows its `autostart`. */
export interface ProcessIntent {
  requested_state?: "start" | "stop";
  rows?: number;
  cols?: number;
}

export interface IntentStoreOptions {
  /** Wall clock, milliseconds since 1970. */
  now?: () => number;
  fileSystem?: FileSystem;
}

/**
 * What users want, and the counters that must grow over restarts, in one small file (mode 0600, JSON, fields of newer
 * versions are kept). Changes are held in memory until `flush`, which makes all of them durable in one write.
 * One store at a time may have a file open; the manager's lock sees to that.
 */
export class IntentStore {
  /** The sentence to log when a damaged file had to be set aside, else null. */
  readonly warning: string | null;
  readonly #path: string;
  readonly #now: () => number;
  readonly #fileSystem: FileSystem;
  readonly #processes: Map<string, ProcessIntent>;
  readonly #rest: IntentHeader;
  #changed = false;
  #writing: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  private constructor(path: string, loaded: LoadedIntent, options: IntentStoreOptions) {
    this.warning = loaded.warning;
    this.#path = path;
    this.#now = options.now ?? Date.now;
    this.#fileSystem = options.fileSystem ?? fs;
    this.#processes = loaded.processes;
    this.#rest = loaded.rest;
  }

  /** Reads `path`, or begins anew if it is missing or damaged (then it is set aside as `<path>.damaged-<n>`). */
  static async open(path: string, options: IntentStoreOptions = {}): Promise<IntentStore> {
    await fs.mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return new IntentStore(path, await loadIntent(path), options);
  }

  get(name: string): Readonly<ProcessIntent> {
    return this.#processes.get(name) ?? {};
  }

  /** Not durable before the next `flush` has resolved. */
  set(name: string, patch: ProcessIntent): void {
    this.#processes.set(name, { ...this.#processes.get(name), ...patch });
    this.#changed = true;
  }

  /** Highest id of a log entry that an earlier manager persisted, 0 if none. */
  get lastLogId(): number {
    return this.#rest.last_log_id;
  }

  /** Goes along with the next write. */
  rememberLogId(id: number): void {
    if (id === this.#rest.last_log_id) return;
    this.#rest.last_log_id = id;
    this.#changed = true;
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

  async #write(): Promise<void> {
    const content = `${JSON.stringify({ ...this.#rest, processes: Object.fromEntries(this.#processes) }, null, 1)}\n`;
    try {
      await writeFileAtomically(this.#path, content, this.#fileSystem);
    } catch (error) {
      this.#changed = true;
      throw new MgrError("internal", `what was requested cannot be saved in ${this.#path}: ${messageOf(error)}`, { cause: error });
    }
  }
}

interface LoadedIntent {
  processes: Map<string, ProcessIntent>;
  rest: IntentHeader;
  warning: string | null;
}

async function loadIntent(path: string): Promise<LoadedIntent> {
  const fresh = { version: VERSION, epoch: 0, last_log_id: 0 };
  let bytes: Uint8Array;
  try {
    bytes = await fs.readFile(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return { processes: new Map(), rest: fresh, warning: null };
    throw new MgrError("internal", `${path} cannot be read: ${messageOf(error)}; mend or remove it`, { cause: error });
  }
  try {
    return parseIntent(new TextDecoder("utf-8", { fatal: true }).decode(bytes), path);
  } catch (error) {
    if (error instanceof MgrError) throw error;
    const aside = await setAside(path);
    const warning = `${path} was damaged (${damageOf(error)}); it was set aside as ${aside}, and what was requested before is forgotten`;
    return { processes: new Map(), rest: fresh, warning };
  }
}

function parseIntent(text: string, path: string): LoadedIntent {
  const { processes, ...rest } = intentFile.parse(JSON.parse(text));
  if (rest.version > VERSION) {
    throw new MgrError("conflict", `${path} was written by a newer mgr (version ${rest.version}); use that one, or remove the file`);
  }
  return {
    processes: new Map(Object.entries(processes).map(([name, intent]) => [name, processIntent.parse(intent)])),
    rest,
    warning: null,
  };
}

async function setAside(path: string): Promise<string> {
  let number = 1;
  while (await exists(`${path}.damaged-${number}`)) number++;
  await fs.rename(path, `${path}.damaged-${number}`);
  return `${path}.damaged-${number}`;
}

async function exists(path: string): Promise<boolean> {
  try {
    await fs.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
}

function damageOf(error: unknown): string {
  const issue = error instanceof z.ZodError ? error.issues[0] : undefined;
  return issue === undefined ? messageOf(error) : `${issue.path.join(".")}: ${issue.message}`;
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
