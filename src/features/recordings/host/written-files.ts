import type { RecordingFileReport } from "../contract.ts";
import type { RecordingFolder, RecordingLog } from "./recording-folder.ts";

/** The files of a recording that are complete or being closed, oldest first, and the folder that they are in. */
export class WrittenFiles {
  readonly #name: string;
  readonly #folder: RecordingFolder;
  readonly #log: RecordingLog;
  #reports: readonly RecordingFileReport[] = [];

  /** `name`: of the recording. */
  constructor(name: string, folder: RecordingFolder, log: RecordingLog) {
    this.#name = name;
    this.#folder = folder;
    this.#log = log;
  }

  get reports(): readonly RecordingFileReport[] {
    return this.#reports;
  }

  /** Files of an earlier program. */
  take(older: readonly RecordingFileReport[]): void {
    this.#reports = [...older, ...this.#reports];
  }

  has(file: string): boolean {
    return this.#reports.some((known) => known.file === file);
  }

  /** A file is being closed: `is_growing` until `closed` is called. */
  add(report: RecordingFileReport): void {
    this.#reports = [...this.#reports, report];
  }

  /** Reads the index of a file that was closed; forgets the file if it has none. */
  async closed(file: string): Promise<void> {
    const found = await this.#folder.find(file).catch(() => null);
    this.#reports = this.#reports.flatMap((known) => (known.file === file ? (found?.report ?? []) : known));
  }

  async remove(file: string): Promise<void> {
    await this.#folder.remove(file);
    this.#reports = this.#reports.filter((known) => known.file !== file);
  }

  /** Resolves with false if there is no file that could be removed. */
  async removeOldest(reason: string): Promise<boolean> {
    const oldest = this.#reports.find(({ is_growing }) => !is_growing);
    if (oldest === undefined) return false;
    await this.remove(oldest.file);
    this.#log("info", `removed the oldest file of the recording '${this.#name}' (${reason}): ${oldest.file}`);
    return true;
  }

  async removeAll(): Promise<void> {
    await this.#folder.removeAll();
    this.#reports = [];
  }

  /** Makes the folder, and forgets the complete files if another program had removed it. */
  async makeFolder(): Promise<void> {
    if (!(await this.#folder.make())) return;
    // A file that is still being closed detects this by itself.
    const growing = this.#reports.filter(({ is_growing }) => is_growing);
    const lost = this.#reports.length - growing.length;
    this.#reports = growing;
    if (lost > 0) this.#log("error", `${this.#folder.path} was removed by another program, with ${lost} files of '${this.#name}'`);
  }

  /** Forgets a file that another program removed or moved, and all other files that are gone. */
  async forgetLost(lost: string): Promise<void> {
    this.#reports = this.#reports.filter(({ file }) => file !== lost);
    this.#folder.release();
    await this.makeFolder();
    const names = new Set(await this.#folder.names());
    // A file that began meanwhile may not be on the disk yet.
    this.#reports = this.#reports.filter(({ file, is_growing }) => is_growing || names.has(file));
  }
}
