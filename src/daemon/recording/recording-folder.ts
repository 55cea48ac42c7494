import { createHash } from "node:crypto";
import { mkdir, readdir, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../base/errors.ts";
import { MAX_RECORDING_FILES, type RecordingFileReport } from "../../contract/recording.ts";
import { summaryOf } from "../../recording/mcap/file-summary.ts";
import { LOSSES, lossesOf } from "../../recording/mcap/losses.ts";
import { repairMcap } from "../../recording/mcap/repair.ts";

const SUFFIX = ".mcap";
/** Of a name in a file system, bytes, with room for time and number. */
const MAX_NAME_BYTES = 120;
const FILE = /^[^/\0]{1,240}\.mcap$/;

export type RecordingLog = (level: "info" | "warning" | "error", msg: string) => void;

/** The files of one recording on this host. */
export class RecordingFolder {
  readonly path: string;
  readonly #log: RecordingLog;

  constructor(path: string, log: RecordingLog) {
    this.path = path;
    this.#log = log;
  }

  async make(): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
  }

  /** Path of a file of this folder; null: no file of a recording has this name. */
  pathOf(file: string): string | null {
    return FILE.test(file) ? join(this.path, file) : null;
  }

  /** Bytes that are left on its disk for this user. */
  async freeSpace(): Promise<number> {
    const { bavail, bsize } = await statfs(this.path);
    return bavail * bsize;
  }

  /** Completes the files that a killed daemon left, and returns all of them, oldest first. */
  async open(): Promise<RecordingFileReport[]> {
    const names = await this.#names();
    const files: RecordingFileReport[] = [];
    for (const name of names.slice(-MAX_RECORDING_FILES)) {
      const path = join(this.path, name);
      try {
        const repair = await repairMcap(path);
        if (repair !== null)
          this.#log(
            "warning",
            `${path} was not complete: ${repair.messages} messages were kept, its last ${repair.cutBytes} bytes cut off`,
          );
        files.push(await this.report(name));
      } catch (error) {
        this.#log("error", `${path} cannot be completed, it is left as it is: ${messageOf(error)}`);
      }
    }
    return files;
  }

  async report(file: string): Promise<RecordingFileReport> {
    const { size, messages, topics, times, metadata, isRepaired } = await summaryOf(join(this.path, file));
    const [start, end] = times === null ? [null, null] : [String(times.start), String(times.end)];
    const losses = lossesOf(metadata.get(LOSSES));
    return { file, size, start, end, messages, topics: topics.length, ...losses, is_growing: false, is_repaired: isRepaired };
  }

  async remove(file: string): Promise<void> {
    const path = this.pathOf(file);
    if (path !== null) await rm(path, { force: true });
  }

  async removeAll(): Promise<void> {
    for (const name of await this.#names()) await this.remove(name);
    // Other programs may have put something there: then it stays.
    await rm(this.path, { recursive: false, force: true }).catch(() => undefined);
  }

  async #names(): Promise<string[]> {
    try {
      const entries = await readdir(this.path, { withFileTypes: true });
      // Names begin with the time.
      return entries
        .filter((entry) => entry.isFile() && FILE.test(entry.name))
        .map(({ name }) => name)
        .sort();
    } catch {
      return [];
    }
  }
}

/** `20261122-210815.123-rt1-1.mcap`: sorted by name, files are sorted by time. */
export function fileName(time: Date, host: string, part: number): string {
  const stamp = time.toISOString().replaceAll(/[-:Z]/g, "").replace("T", "-");
  return `${stamp}-${String(part).padStart(4, "0")}-${fileNamePart(host)}${SUFFIX}`;
}

/** A name as part of a path: readable, and different for different names. */
export function fileNamePart(name: string): string {
  const safe = encodeURIComponent(name).replaceAll(/[*'()~!]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  const plain = safe.startsWith(".") ? `%2E${safe.slice(1)}` : safe;
  if (plain.length <= MAX_NAME_BYTES) return plain;
  return `${plain.slice(0, MAX_NAME_BYTES - 17)}-${createHash("sha256").update(name).digest("hex").slice(0, 16)}`;
}
