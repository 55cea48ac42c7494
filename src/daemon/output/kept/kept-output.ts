import { statSync } from "node:fs";
import { z } from "zod";
import type { RunSpec } from "../../../contract/run.ts";
import { formatTime } from "../../../protocol/time.ts";
import type { RestoredOutput, RingStore } from "../ring-store.ts";
import { type FoundOutput, OutputKeeper, outputKeeperState } from "./output-keeper.ts";

/** Interval of writes to files in memory while a process prints, milliseconds; after quiet they are written at once. */
const RUNTIME_INTERVAL_MS = 200;
/** Interval of writes to a disk, milliseconds, and their maximum size, bytes: 1 MiB/s. */
const DISK_INTERVAL_MS = 5_000;
const MAX_DISK_PASS_BYTES = 5 * 1024 * 1024;

/** End of the previous daemon; null: it stopped its processes, or there was none. */
export type PreviousEnd = "killed" | "restarted" | null;

export interface KeptOutputOptions {
  /** Private folder that lasts until the machine goes down; null: there is none. */
  runtimeFolder: string | null;
  /** Folder of the processes with `output_on_disk`. */
  diskFolder: string;
  previousEnd: PreviousEnd;
}

export const keptOutputState = z.object({
  previous_end: z.string().nullable(),
  runtime: outputKeeperState.nullable(),
  disk: outputKeeperState,
});
export type KeptOutputState = z.infer<typeof keptOutputState>;

/** The newest output of each process, in files that survive the daemon, and with `output_on_disk` the machine (docs/decisions/0059). */
export class KeptOutput {
  /** Reason why the previous daemon's processes ended, for people; null: it stopped them, or there was none. */
  readonly previousEnd: string | null;
  readonly #runtime: OutputKeeper | null;
  readonly #disk: OutputKeeper;

  /** Adds the content of the files to `rings`, which must be empty; or, with `taken`, continues with those that have it already. */
  constructor(
    { runtimeFolder, diskFolder, previousEnd }: KeptOutputOptions,
    rings: RingStore,
    log: (msg: string) => void,
    taken: KeptOutputState | null = null,
  ) {
    this.previousEnd = taken === null ? endText(previousEnd, runtimeFolder) : taken.previous_end;
    this.#runtime =
      runtimeFolder === null ? null : new OutputKeeper({ folder: runtimeFolder, rings, intervalMs: RUNTIME_INTERVAL_MS, log });
    this.#disk = new OutputKeeper({
      folder: diskFolder,
      rings,
      intervalMs: DISK_INTERVAL_MS,
      maxPassBytes: MAX_DISK_PASS_BYTES,
      log,
    });
    if (taken === null) this.#restore(rings);
    else {
      if (taken.runtime !== null) this.#runtime?.take(taken.runtime);
      this.#disk.take(taken.disk);
    }
  }

  async quiet(): Promise<void> {
    await Promise.all([this.#runtime?.quiet(), this.#disk.quiet()]);
  }

  handOver(): KeptOutputState {
    return { previous_end: this.previousEnd, runtime: this.#runtime?.handOver() ?? null, disk: this.#disk.handOver() };
  }

  resume(): void {
    this.#runtime?.resume();
    this.#disk.resume();
  }

  /** Called before a run of `name` begins. */
  begin({ name, output_on_disk }: Pick<RunSpec, "name" | "output_on_disk">): void {
    this.#runtime?.begin(name);
    if (output_on_disk) this.#disk.begin(name);
    else void this.#disk.forget(name);
  }

  grown(name: string): void {
    this.#runtime?.grown(name);
    this.#disk.grown(name);
  }

  /** Names of processes whose output is kept. */
  get names(): string[] {
    return [...new Set([...(this.#runtime?.names ?? []), ...this.#disk.names])];
  }

  async forget(name: string): Promise<void> {
    await this.#runtime?.forget(name);
    await this.#disk.forget(name);
  }

  /** Called each second: records for the next daemon that this one is alive. */
  beat(): void {
    void this.#runtime?.beat();
  }

  /** After an orderly end, only output on a disk is kept. */
  async close(): Promise<void> {
    await this.#runtime?.close({ removes: true });
    await this.#disk.close({ removes: false });
  }

  #restore(rings: RingStore): void {
    const inMemory = this.#runtime?.find() ?? [];
    const onDisk = this.#disk.find();
    const inMemoryNames = new Set(inMemory.map(({ name }) => name));
    const mark = Buffer.from(endMark(this.previousEnd));
    rings.restore([...inMemory, ...onDisk.filter(({ name }) => !inMemoryNames.has(name))].map((output) => restored(output, mark)));
    // The end mark is written with the first output of the next run.
    const found = rings.origin - mark.length;
    for (const { name } of inMemory) this.#runtime?.restored(name, found);
    for (const { name } of onDisk) this.#disk.restored(name, inMemoryNames.has(name) ? null : found);
  }
}

function restored({ name, data, time }: FoundOutput, mark: Buffer): RestoredOutput {
  return { name, data: Buffer.concat([data, mark]), time: performance.now() - (Date.now() - time) };
}

/** Line after the output of earlier runs, which may have left colours set. */
function endMark(previousEnd: string | null): string {
  return `\x1b[0m\r\n[mgr: ${previousEnd ?? "the daemon of this host was stopped"}. Earlier output is above]\r\n`;
}

function endText(end: PreviousEnd, runtimeFolder: string | null): string | null {
  if (end === null) return null;
  if (end === "restarted") return "the host was restarted";
  const lastBeat = runtimeFolder === null ? undefined : statSync(runtimeFolder, { throwIfNoEntry: false })?.mtimeMs;
  const when = lastBeat === undefined ? "" : ` at ${formatTime(lastBeat).slice(0, 19).replace("T", " ")} UTC`;
  return `the daemon of this host ended (SIGKILL or a crash)${when}`;
}
