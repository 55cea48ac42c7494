import { resolve } from "node:path";
import { z } from "zod";
import type { Clock } from "../../base/timing/clock.ts";
import type { HostLogWriter } from "../../contract/messages.ts";
import type { RunSpec } from "../../contract/run.ts";
import { LogFile, logFileState } from "./log-file.ts";
import type { OutputRing } from "./output-ring.ts";

export const logFilesState = z.array(z.tuple([z.string(), logFileState]));
type LogFilesState = z.infer<typeof logFilesState>;

/** The log files of all process names; each continues across runs. */
export class LogFiles {
  readonly #files = new Map<string, LogFile>();
  readonly #options: { clock: Clock; log: HostLogWriter };

  constructor(options: { clock: Clock; log: HostLogWriter }) {
    this.#options = options;
  }

  /** Returns the log file for a run about to begin; null: none is configured. */
  open({ name, base_dir: baseDir, log_file: spec }: RunSpec, ring: OutputRing): LogFile | null {
    const path = spec === null ? null : resolve(baseDir, spec.path);
    const known = this.#files.get(name);
    if (known !== undefined && known.spec.path === path) return known;
    // The remaining output of the previous run is still written to its own file.
    void known?.close();
    this.#files.delete(name);
    if (spec === null || path === null) return null;
    const file = new LogFile({ name, spec: { ...spec, path }, ring, ...this.#options });
    this.#files.set(name, file);
    return file;
  }

  /** Takes over the files of the program before this one. */
  take(files: LogFilesState, findRing: (name: string) => OutputRing | undefined): void {
    for (const [name, taken] of files) {
      const ring = findRing(name);
      if (ring !== undefined) this.#files.set(name, new LogFile({ name, spec: taken.spec, ring, taken, ...this.#options }));
    }
  }

  async quiet(): Promise<void> {
    await Promise.all([...this.#files.values()].map((file) => file.quiet()));
  }

  handOver(): LogFilesState {
    return [...this.#files].map(([name, file]) => [name, file.handOver()]);
  }

  /** Writes again after `quiet`, or what was not written before the program was replaced. */
  goOn(): void {
    for (const file of this.#files.values()) file.goOn();
  }

  /** The file of the process's newest run; undefined: it has none. */
  find(name: string): LogFile | undefined {
    return this.#files.get(name);
  }

  /** Resolves when all that can be written is written. */
  async close(): Promise<void> {
    await Promise.all([...this.#files.values()].map((file) => file.close()));
    this.#files.clear();
  }
}
