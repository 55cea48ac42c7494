import { join } from "node:path";
import { isDiskFull, MgrError, messageOf } from "../../../base/errors.ts";
import type { HandedOver } from "../../../base/handed-over.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import { SerialQueue } from "../../../base/timing/serial-queue.ts";
import { withTimeout } from "../../../base/timing/wait.ts";
import type { KernelTimes } from "../../../daemon/handover/kernel-times.ts";
import type { Tap, TappedMessage } from "../../data-plane/host/index.ts";
import type { RecordingReport, RecordingSpec } from "../contract.ts";
import { RECORDING } from "../samples/mcap/losses.ts";
import { ClockRecords, type RecordedClock } from "./clock-records.ts";
import { RecordingCounts } from "./recording-counts.ts";
import { RecordingFile, type RecordingFileOptions } from "./recording-file.ts";
import { type FileWriter, RecordingFolder, type RecordingLog } from "./recording-folder.ts";
import { RecordingSpace } from "./recording-space.ts";
import { handedNames, type RecordingState } from "./recording-state.ts";
import { createFile, type OpenFile } from "./write-queue.ts";
import { WrittenFiles } from "./written-files.ts";

/** Interval for writing collected messages to the disk, milliseconds: a killed daemon loses at most a second. */
const FLUSH_MS = 500;
/** Time limit for writes that are under way when the program is about to be replaced, milliseconds. */
const MAX_QUIET_MS = 3_000;
const NO_BYTES = new Uint8Array();
/** Minimum interval between reports of counters, milliseconds. */
const REPORT_MS = 500;

export interface RecordingOptions extends FileWriter {
  readonly tap: Pick<Tap, "add">;
  readonly clock: Clock;
  /** Offset of the host's clock from that of the manager. */
  readonly ownClock: RecordedClock;
  readonly log: RecordingLog;
  readonly changed: (recording: Recording) => void;
  /** Replaced in tests of failing disks. */
  readonly open?: OpenFile | undefined;
  readonly freeSpace?: ((folder: RecordingFolder) => Promise<number>) | undefined;
}

/** A recording of one host: its files and, while it runs, the file that is being written. */
export class Recording {
  spec: RecordingSpec;
  readonly folder: RecordingFolder;
  readonly #options: RecordingOptions;
  #state: RecordingReport["state"] = "stopped";
  #problem: string | null = null;
  #startedAt: number | null = null;
  /** False if an earlier daemon recorded it, but this one has not yet. */
  #hasBegun = false;
  readonly #written: WrittenFiles;
  readonly #space: RecordingSpace;
  #counts = new RecordingCounts();
  #file: RecordingFile | null = null;
  /** Writes into the file how far the clock is from that of the manager. */
  readonly #clocks: ClockRecords;
  #part = 0;
  #unsubscribers: (() => void)[] = [];
  #timer: unknown = null;
  #reportedAt = 0;
  #isDirty = false;
  /** Whether nothing is begun: the program is about to be replaced. */
  #isQuiet = false;
  /** The last fault; it is logged once while it lasts. */
  #fault: string | null = null;
  #completed: Promise<void> = Promise.resolve();
  /** Operations on files run one after the other. */
  readonly #work = new SerialQueue();

  constructor(spec: RecordingSpec, folder: string, options: RecordingOptions) {
    this.spec = spec;
    this.#options = options;
    this.folder = new RecordingFolder(folder, options, options.log);
    this.#written = new WrittenFiles(spec.name, this.folder, options.log);
    const { freeSpace } = options;
    this.#space = new RecordingSpace({ spec: () => this.spec, folder: this.folder, written: this.#written, freeSpace });
    this.#clocks = new ClockRecords(options.ownClock);
  }

  get name(): string {
    return this.spec.name;
  }

  /** Start of the present recording, or of the last one; milliseconds since 1970, null: unknown. */
  get startedAt(): number | null {
    return this.#startedAt;
  }

  get isRecording(): boolean {
    return this.#state === "recording";
  }

  /** Whether no data waits for the disk. */
  get isIdle(): boolean {
    return this.#work.isEmpty && (this.#file?.isWritten ?? true);
  }

  get report(): RecordingReport {
    const { name, spec } = this;
    const files = [...this.#written.reports, ...(this.#file === null ? [] : [this.#file.report])];
    const started_at = this.#hasBegun ? this.#startedAt : null;
    return { name, spec, state: this.#state, problem: this.#problem, started_at, ...this.#counts.report, files };
  }

  /**
   * Continues the recording of an earlier daemon. Resolves when it records again, if the earlier one recorded; then the files are completed and
   * counted. `startedAt`: start of the recording, milliseconds since 1970; null: unknown.
   */
  async open({ wasRecording, startedAt }: { wasRecording: boolean; startedAt: number | null }): Promise<void> {
    this.#startedAt = startedAt;
    const names = await this.#work.run(async () => {
      const left = await this.folder.names();
      if (wasRecording) await this.#resume(startedAt).catch(() => undefined);
      return left;
    });
    this.#completed = this.#work.run(async () => {
      // This takes the lock, too.
      if (names.length > 0) await this.#written.makeFolder();
      const found = await this.folder.complete(names);
      this.#written.take(found.map(({ report }) => report));
      this.#counts.add(found, startedAt);
      // The first attempt failed on a full disk, when the oldest files were not known yet.
      if (wasRecording && !this.isRecording) await this.#resume(startedAt);
    });
    // The recorder awaits it later.
    this.#completed.catch(() => undefined);
  }

  /** Begins nothing new. Resolves when no operation on files is under way; rejects with `busy` if that takes too long. */
  async quiet(): Promise<void> {
    const { clock } = this.#options;
    this.#isQuiet = true;
    clock.clearTimeout(this.#timer);
    const settled = this.#work.run(() => this.#file?.quiet(clock.monotonic()));
    await withTimeout(settled, MAX_QUIET_MS, () => this.#busy(), clock);
  }

  #busy(): MgrError {
    return new MgrError("busy", `the recording '${this.name}' waits for the disk of ${this.folder.path}; try again when it is faster`);
  }

  resume(): void {
    if (!this.#isQuiet) return;
    this.#isQuiet = false;
    this.#file?.resume();
    if (this.isRecording) this.#schedule();
  }

  /** State for the next program. Descriptors and bytes have the names of `handedNames`. */
  handOver(times: KernelTimes): HandedOver {
    const file = this.#file?.handOver(times) ?? null;
    const names = handedNames(this.name);
    const state: RecordingState = {
      ...{ spec: this.spec, state: this.#state, problem: this.#problem, startedAt: this.#startedAt, hasBegun: this.#hasBegun },
      ...{ files: [...this.#written.reports], counts: this.#counts.handOver(), part: this.#part, file: file?.state ?? null },
    };
    const lock = this.folder.lock === null ? {} : { [names.lock]: this.folder.lock };
    const opened = file === null || file.descriptor === null ? {} : { [names.file]: file.descriptor };
    const bytes = file === null ? {} : { [names.index]: file.index, [names.unwritten]: file.unwritten };
    return { state, descriptors: { ...lock, ...opened }, bytes };
  }

  /** Continues the recording of an earlier program, in the same file. */
  adopt(state: RecordingState, { descriptors, bytes }: HandedOver, times: KernelTimes): void {
    const names = handedNames(this.name);
    const lock = descriptors[names.lock];
    if (lock !== undefined) this.folder.adopt(lock);
    this.#counts.adopt(state.counts);
    this.#written.take(state.files);
    this.#part = state.part;
    this.#hasBegun = state.hasBegun;
    if (state.file !== null) {
      const { [names.index]: index = NO_BYTES, [names.unwritten]: unwritten = NO_BYTES } = bytes;
      const file = { state: state.file, descriptor: descriptors[names.file] ?? null, index, unwritten };
      this.#file = this.#open(state.file.name, { file, times });
    }
    if (state.state === "recording") this.#record(state.startedAt ?? this.#options.clock.now());
    this.#state = state.state;
    this.#problem = state.problem;
    this.#startedAt = state.startedAt;
  }

  /** Resolves when the files of an earlier daemon are complete and counted. */
  get completed(): Promise<void> {
    return this.#completed;
  }

  /** Rejects with `conflict` if nothing can be written. */
  async start(spec: RecordingSpec): Promise<void> {
    await this.#work.run(async () => {
      if (this.isRecording) return;
      this.spec = spec;
      await this.#makeWritable();
      this.#counts = new RecordingCounts();
      this.#record(this.#options.clock.now());
    });
  }

  async #resume(startedAt: number | null): Promise<void> {
    try {
      await this.#makeWritable();
    } catch (error) {
      this.#state = "error";
      this.#problem = messageOf(error);
      throw error;
    }
    this.#record(startedAt ?? this.#options.clock.now());
  }

  async #makeWritable(): Promise<void> {
    try {
      await this.#written.makeFolder();
      if (!(await this.#space.isEnough())) throw new MgrError("conflict", this.#space.fullText);
    } catch (error) {
      throw new MgrError("conflict", `'${this.name}' cannot be recorded to ${this.folder.path}: ${messageOf(error)}`, { cause: error });
    }
  }

  #record(startedAt: number): void {
    this.#state = "recording";
    this.#problem = null;
    this.#fault = null;
    this.#startedAt = startedAt;
    this.#hasBegun = true;
    const take = (message: TappedMessage) => this.recordMessage(message);
    this.#unsubscribers = this.spec.topics.map((pattern) => this.#options.tap.add(pattern, take));
    this.#schedule();
    this.#changed();
  }

  /** Resolves when the files of the recording are complete. */
  async stop(problem: string | null = null): Promise<void> {
    if (!this.isRecording) return this.#work.run(() => undefined);
    this.#end();
    this.#state = problem === null ? "stopped" : "error";
    this.#problem = problem;
    await this.#closeFile();
    this.#changed();
  }

  /** Removes a file; null: all files. Rejects with `conflict` for a file that is being written, or with `not_found`. */
  async remove(file: string | null): Promise<void> {
    if (file === null) {
      if (this.isRecording) throw new MgrError("conflict", `'${this.name}' is being recorded: stop it first`);
      return this.#work.run(() => this.#written.removeAll());
    }
    if (this.#file?.name === file) throw new MgrError("conflict", `${file} is being written: stop the recording '${this.name}' first`);
    if (!this.#written.has(file)) throw new MgrError("not_found", `'${this.name}' has no file '${file}'`);
    await this.#work.run(() => this.#written.remove(file));
    this.#changed();
  }

  /** Records one message, which is valid only during the call. */
  recordMessage(message: TappedMessage): void {
    if (!this.isRecording) return;
    const { topic, sequence, payload } = message;
    const missed = this.#counts.arrived(topic, sequence);
    this.#file ??= this.#begin();
    // Messages that were received before the clock was set are in a chunk before the record of it.
    if (this.#clocks.wasSet) this.#clocks.write(this.#file, this.#options.clock.monotonic());
    if (this.#file.add(message, missed)) this.#counts.recorded(topic, payload.length);
    else this.#counts.dropped(topic);
    this.#isDirty = true;
    if (this.#isQuiet) return;
    if (this.#file.size >= this.spec.max_size || this.#file.isLong) void this.#closeFile();
  }

  #begin(): RecordingFile {
    this.#part++;
    const name = this.folder.fileName(new Date(this.#options.clock.now()), this.#part);
    void this.#do(() => this.#removeSurplus());
    const file = this.#open(name);
    this.#clocks.begin(file, this.#options.clock.monotonic());
    return file;
  }

  /** `taken`: the file was begun by an earlier program. */
  #open(name: string, taken?: RecordingFileOptions["taken"]): RecordingFile {
    const { clock, host, open = createFile } = this.#options;
    return new RecordingFile({
      taken,
      isHeld: this.#isQuiet,
      path: join(this.folder.path, name),
      about: {
        name: RECORDING,
        values: { recording: this.name, host, part: String(this.#part), topics: this.spec.topics.join("\n") },
      },
      channelMetadata: { host },
      open: async (path) => {
        // Another program may have removed the folder.
        await this.#written.makeFolder();
        return open(path);
      },
      failed: (error) => this.#writeFailed(error, name),
      now: clock.monotonic(),
    });
  }

  /** Closes the file; the next message begins another one. */
  #closeFile(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    if (file === null) return this.#do(() => undefined);
    this.#clocks.end(file, this.#options.clock.monotonic());
    this.#written.add(file.report);
    return this.#do(async () => {
      const problem = await file.close();
      if (problem !== null) {
        const { text, dropped } = problem;
        for (const [topic, count] of dropped) this.#counts.lost(topic, count);
        // The reason for the end of the recording comes first, because it says what to do.
        this.#problem = this.isRecording || this.#problem === null ? text : `${this.#problem}; ${text}`;
        this.#options.log("error", text);
      }
      await (problem?.isLost ? this.#written.forgetLost(file.name) : this.#written.closed(file.name));
      this.#changed();
    });
  }

  /** Runs work after all earlier work; never rejects. */
  #do(work: () => void | Promise<void>): Promise<void> {
    return this.#work.run(work).catch((error: unknown) => this.#logFault(messageOf(error)));
  }

  async #removeSurplus(): Promise<void> {
    await this.#space.removeSurplus(() => (this.#file === null ? 0 : 1));
    this.#changed();
  }

  /** Handles a failed write: a full disk makes room as configured, other errors end the recording. Resolves with whether there is room again. */
  async #writeFailed(error: unknown, file: string): Promise<boolean> {
    if (await this.#space.makeRoom(error)) return true;
    // Not awaited, because the end of the recording waits for the write that failed.
    void this.#fail(isDiskFull(error) ? this.#space.fullText : `${file} could not be written: ${messageOf(error)}`);
    return false;
  }

  async #fail(problem: string): Promise<void> {
    if (!this.isRecording) return;
    this.#options.log("error", `the recording '${this.name}' was stopped: ${problem}`);
    await this.stop(problem);
  }

  #schedule(): void {
    const { clock } = this.#options;
    this.#timer = clock.setTimeout(() => {
      this.#tick().then(
        () => {
          this.#fault = null;
        },
        (error: unknown) => this.#logFault(messageOf(error)),
      );
    }, FLUSH_MS);
  }

  async #tick(): Promise<void> {
    if (!this.isRecording) return;
    this.#schedule();
    // The check begins before the collected data is written, which would hide that a file was truncated.
    const checked = this.#checkPlace();
    const now = this.#options.clock.monotonic();
    this.#file?.flush(now);
    if (this.#file !== null && this.#clocks.isDue(now)) this.#clocks.write(this.#file, now);
    const { max_duration_ms } = this.spec;
    if (this.#file !== null && max_duration_ms !== null && now - this.#file.begunAt >= max_duration_ms) void this.#closeFile();
    if (this.#isDirty && now - this.#reportedAt >= REPORT_MS - 1) {
      this.#isDirty = false;
      this.#changed();
    }
    await checked;
    const hasSpace = await this.#space.isEnough().catch((error: unknown) => {
      // The folder was removed since: the next check finds that.
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return true;
      throw error;
    });
    if (!hasSpace) await this.#fail(this.#space.fullText);
  }

  /** Detects what other programs did to the file and the folder. */
  async #checkPlace(): Promise<void> {
    const file = this.#file;
    if (file !== null && (await file.isLost()) && this.#file === file) await this.#closeFile();
    await this.#written.makeFolder();
  }

  #logFault(fault: string): void {
    if (fault !== this.#fault) this.#options.log("error", `the recording '${this.name}': ${fault}`);
    this.#fault = fault;
  }

  #end(): void {
    for (const unsubscribe of this.#unsubscribers.splice(0)) unsubscribe();
    this.#options.clock.clearTimeout(this.#timer);
  }

  #changed(): void {
    this.#reportedAt = this.#options.clock.monotonic();
    this.#options.changed(this);
  }
}
