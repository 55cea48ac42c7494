import { createHash } from "node:crypto";
import { closeSync } from "node:fs";
import { readdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { acquireLockFile } from "../../../daemon/session/lock.ts";
import { freeSpace } from "../../../files/free-space.ts";
import { makeFolders } from "../../../files/make-folders.ts";
import { MAX_RECORDING_FILES, type RecordingFileReport } from "../contract.ts";
import { type McapFileSummary, summaryOf } from "../samples/mcap/file-summary.ts";
import { LOSSES, lossesOf } from "../samples/mcap/losses.ts";
import { repairMcap } from "../samples/mcap/repair.ts";

const SUFFIX = ".mcap";
/** Number of characters of an instance's uuid in file names. */
const ID_CHARS = 8;
/** Maximum length of a name in a path, bytes; it leaves room for time and number. */
const MAX_NAME_BYTES = 120;
const FILE = /^[^/\0]{1,240}\.mcap$/;
/** Matches the names that `fileName` makes; the group is the writer. */
const RECORDED_FILE = /^\d{8}-\d{6}\.\d{3}-\d{4,}-(.+)\.mcap$/;

export type RecordingLog = (level: "info" | "warning" | "error", msg: string) => void;

/** The daemon that writes files. Several daemons may share a folder; each has its own files. */
export interface FileWriter {
  /** Canonical name of the host. */
  readonly host: string;
  /** The uuid of the daemon's state folder. */
  readonly instance: string;
}

/** A file and the contents of its index. */
export interface FoundFile {
  readonly report: RecordingFileReport;
  readonly topics: McapFileSummary["topics"];
}

/**
 * The files of one recording on this host. Files of other writers in the same folder are not touched. A lock in the folder excludes a second daemon
 * with the same host name and a copy of the same state folder.
 */
export class RecordingFolder {
  readonly path: string;
  readonly #log: RecordingLog;
  readonly #host: string;
  readonly #writer: string;
  /** Descriptor of the locked file; null: not locked. */
  #lock: number | null = null;

  constructor(path: string, { host, instance }: FileWriter, log: RecordingLog) {
    this.path = path;
    this.#log = log;
    this.#host = fileNamePart(host);
    // The encoded host name has no tilde.
    this.#writer = `${this.#host}~${instance.slice(0, ID_CHARS)}`;
  }

  /** Makes and locks the folder; resolves with whether it did not exist. Rejects with `conflict` if its lock is held. */
  async make(): Promise<boolean> {
    const isNew = await makeFolder(this.path);
    if (isNew) this.release();
    this.#lock ??= acquireLockFile(this.#lockPath);
    if (this.#lock === null)
      throw new MgrError("conflict", "another daemon with a copy of the same state folder records there: set another record.path");
    return isNew;
  }

  /** Descriptor of the lock, for the next program; null: not locked. */
  get lock(): number | null {
    return this.#lock;
  }

  /** Holds the lock that an earlier program has taken. */
  adopt(lock: number): void {
    this.#lock = lock;
  }

  release(): void {
    if (this.#lock !== null) closeSync(this.#lock);
    this.#lock = null;
  }

  /** Such as `20261122-210815.123-0001-rt1~0f3a9c1b.mcap`: the order of names is the order of time. */
  fileName(time: Date, part: number): string {
    const stamp = time.toISOString().replaceAll(/[-:Z]/g, "").replace("T", "-");
    return `${stamp}-${String(part).padStart(4, "0")}-${this.#writer}${SUFFIX}`;
  }

  /** Path of a file of this folder; null: the name is not that of a recorded file. */
  pathOf(file: string): string | null {
    return FILE.test(file) ? join(this.path, file) : null;
  }

  /** Free space on the folder's disk for this user, bytes. */
  freeSpace(): Promise<number> {
    return freeSpace(this.path);
  }

  /** Completes those of the files that a killed daemon left incomplete, and reads the index of all. */
  async complete(names: readonly string[]): Promise<FoundFile[]> {
    const files: FoundFile[] = [];
    for (const name of names.slice(-MAX_RECORDING_FILES)) {
      const path = join(this.path, name);
      try {
        const repair = await repairMcap(path);
        if (repair !== null)
          this.#log(
            "warning",
            `${path} was not complete: ${repair.messages} messages were kept, its last ${repair.cutBytes} bytes cut off`,
          );
        files.push(await this.find(name));
      } catch (error) {
        this.#log("error", `${path} cannot be completed, it is left as it is: ${messageOf(error)}`);
      }
    }
    return files;
  }

  async find(file: string): Promise<FoundFile> {
    const { size, messages, topics, times, metadata, isRepaired } = await summaryOf(join(this.path, file));
    const [start, end] = times === null ? [null, null] : [String(times.start), String(times.end)];
    const losses = lossesOf(metadata.get(LOSSES));
    const report = { file, size, start, end, messages, topics: topics.length, ...losses, is_growing: false, is_repaired: isRepaired };
    return { report, topics };
  }

  async remove(file: string): Promise<void> {
    const path = this.pathOf(file);
    if (path !== null) await rm(path, { force: true });
  }

  async removeAll(): Promise<void> {
    for (const name of await this.names()) await this.remove(name);
    this.release();
    await rm(this.#lockPath, { force: true });
    // The folder stays if other programs have put something there.
    await rmdir(this.path).catch(() => undefined);
  }

  /** The files of this writer, oldest first. */
  async names(): Promise<string[]> {
    try {
      const entries = await readdir(this.path, { withFileTypes: true });
      // Names begin with the time.
      return entries
        .filter((entry) => entry.isFile() && this.#isOwn(entry.name))
        .map(({ name }) => name)
        .sort();
    } catch {
      return [];
    }
  }

  /** Whether this writer made the file. Earlier versions named the host alone. */
  #isOwn(file: string): boolean {
    const writer = RECORDED_FILE.exec(file)?.[1];
    return writer === this.#writer || writer === this.#host;
  }

  get #lockPath(): string {
    return join(this.path, `.${this.#writer}.lock`);
  }
}

/** Encodes a name as part of a path: readable, and different for different names. */
export function fileNamePart(name: string): string {
  const safe = encodeURIComponent(name).replaceAll(/[*'()~!]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  const plain = safe.startsWith(".") ? `%2E${safe.slice(1)}` : safe;
  if (plain.length <= MAX_NAME_BYTES) return plain;
  return `${plain.slice(0, MAX_NAME_BYTES - 17)}-${createHash("sha256").update(name).digest("hex").slice(0, 16)}`;
}

/** Resolves with whether the folder is new. */
async function makeFolder(path: string): Promise<boolean> {
  const make = () => makeFolders(path, 0o700);
  return make().catch((error: NodeJS.ErrnoException) => {
    // Another program has removed a folder above it between two steps.
    if (error.code === "ENOENT") return make();
    throw error;
  });
}
