import { join } from "node:path";
import { cappedSum } from "../../base/capped-sum.ts";
import type { Clock } from "../../base/clock.ts";
import { isDiskFull, MgrError, messageOf } from "../../base/errors.ts";
import { SerialQueue } from "../../base/serial-queue.ts";
import { MAX_REPORTED_TOPICS, type RecordingFileReport, type RecordingReport, type RecordingSpec } from "../../contract/recording.ts";
import { RecordingFile } from "./recording-file.ts";
import { fileName, RecordingFolder, type RecordingLog } from "./recording-folder.ts";
import type { Tap, TappedMessage } from "./tap.ts";
import { createFile, type OpenFile } from "./write-queue.ts";

/** What is collected goes to the disk this often, milliseconds: a killed daemon loses at most a second. */
const FLUSH_MS = 500;
/** Counters are reported at most this often, milliseconds. */
const REPORT_MS = 500;

export interface RecordingOptions {
  readonly host: string;
  readonly tap: Pick<Tap, "add">;
  readonly clock: Clock;
  readonly log: RecordingLog;
  readonly changed: (recording: Recording) => void;
  /** Replaced in tests of failing disks. */
  readonly open?: OpenFile | undefined;
  readonly freeSpace?: ((folder: RecordingFolder) => Promise<number>) | undefined;
}

interface TopicCounts {
  messages: number;
  missed: number;
  dropped: number;
  /** Of `Mgr-Seq`. */
  last: bigint | null;
}

/** A recording of one host: its files, and while it runs the one that is written. */
export class Recording {
  spec: RecordingSpec;
  readonly folder: RecordingFolder;
  readonly #options: RecordingOptions;
  #state: RecordingReport["state"] = "stopped";
  #problem: string | null = null;
  #startedAt: number | null = null;
  #files: RecordingFileReport[] = [];
  #topics = new Map<string, TopicCounts>();
  #sums = { messages: 0, bytes: 0, missed: 0, dropped: 0 };
  #file: RecordingFile | null = null;
  #part = 0;
  #leave: (() => void)[] = [];
  #timer: unknown = null;
  #reportedAt = 0;
  #isDirty = false;
  /** What touches files happens one after the other. */
  readonly #work = new SerialQueue();

  constructor(spec: RecordingSpec, folder: string, options: RecordingOptions) {
    this.spec = spec;
    this.#options = options;
    this.folder = new RecordingFolder(folder, options.log);
  }

  get name(): string {
    return this.spec.name;
  }

  get isRecording(): boolean {
    return this.#state === "recording";
  }

  /** Nothing waits for the disk. */
  get isIdle(): boolean {
    return this.#work.isEmpty && (this.#file?.isWritten ?? true);
  }

  get report(): RecordingReport {
    const { name, spec } = this;
    const topics = [...this.#topics].slice(0, MAX_REPORTED_TOPICS).map(([topic, { messages, missed, dropped }]) => ({
      name: topic,
      messages,
      missed,
      dropped,
    }));
    const files = this.#file === null ? [...this.#files] : [...this.#files, this.#file.report];
    const sums = { ...this.#sums };
    return { name, spec, state: this.#state, problem: this.#problem, started_at: this.#startedAt, ...sums, topics, files };
  }

  /** Completes what an earlier daemon left. */
  async open(): Promise<void> {
    this.#files = await this.#work.run(() => this.folder.open());
  }

  /** Throws `conflict` where nothing can be written. */
  async start(spec: RecordingSpec): Promise<void> {
    await this.#work.run(async () => {
      if (this.isRecording) return;
      this.spec = spec;
      try {
        await this.folder.make();
        if (!(await this.#hasSpace())) throw new MgrError("conflict", this.#fullText());
      } catch (error) {
        throw new MgrError("conflict", `'${this.name}' cannot be recorded to ${this.folder.path}: ${messageOf(error)}`, { cause: error });
      }
      this.#topics = new Map();
      this.#sums = { messages: 0, bytes: 0, missed: 0, dropped: 0 };
      this.#state = "recording";
      this.#problem = null;
      this.#startedAt = this.#options.clock.now();
      const take = (message: TappedMessage) => this.take(message);
      this.#leave = spec.topics.map((pattern) => this.#options.tap.add(pattern, take));
      this.#schedule();
      this.#changed();
    });
  }

  /** Resolves when its files are complete. */
  async stop(problem: string | null = null): Promise<void> {
    if (!this.isRecording) return this.#work.run(() => undefined);
    this.#end();
    this.#state = problem === null ? "stopped" : "error";
    this.#problem = problem;
    await this.#closeFile();
    this.#changed();
  }

  /** `file` null: all of them. Throws `conflict` for what is written, `not_found`. */
  async remove(file: string | null): Promise<void> {
    if (file === null) {
      if (this.isRecording) throw new MgrError("conflict", `'${this.name}' is being recorded: stop it first`);
      await this.#work.run(() => this.folder.removeAll());
      this.#files = [];
      return;
    }
    if (this.#file?.name === file) throw new MgrError("conflict", `${file} is being written: stop the recording '${this.name}' first`);
    if (!this.#files.some((known) => known.file === file)) throw new MgrError("not_found", `'${this.name}' has no file '${file}'`);
    await this.#work.run(() => this.#forget(file));
    this.#changed();
  }

  /** One message, valid during the call. */
  take(message: TappedMessage): void {
    if (!this.isRecording) return;
    const counts = this.#countsOf(message.topic);
    const missed = missedBefore(counts, message.sequence);
    counts.missed = cappedSum(counts.missed, missed);
    this.#sums.missed = cappedSum(this.#sums.missed, missed);
    this.#file ??= this.#begin();
    if (this.#file.add(message, missed)) {
      counts.messages++;
      this.#sums.messages++;
      this.#sums.bytes += message.payload.length;
    } else {
      counts.dropped++;
      this.#sums.dropped++;
    }
    this.#isDirty = true;
    if (this.#file.size >= this.spec.max_size || this.#file.isLong) void this.#closeFile();
  }

  #countsOf(topic: string): TopicCounts {
    let counts = this.#topics.get(topic);
    if (counts === undefined) {
      counts = { messages: 0, missed: 0, dropped: 0, last: null };
      this.#topics.set(topic, counts);
    }
    return counts;
  }

  #begin(): RecordingFile {
    const { clock, host, open = createFile } = this.#options;
    this.#part++;
    const name = fileName(new Date(clock.now()), host, this.#part);
    void this.#do(() => this.#removeSurplus());
    return new RecordingFile({
      path: join(this.folder.path, name),
      metadata: { recording: this.name, host, part: String(this.#part), topics: this.spec.topics.join("\n") },
      channelMetadata: { host },
      open,
      failed: (error) => this.#writeFailed(error, name),
      now: clock.monotonic(),
    });
  }

  /** The next message begins another file. */
  #closeFile(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    if (file === null) return this.#do(() => undefined);
    this.#files.push(file.report);
    return this.#do(async () => {
      const problem = await file.close();
      if (problem !== null) {
        const { text, dropped } = problem;
        for (const [topic, count] of dropped) this.#wereDropped(topic, count);
        // After the reason for which it ends, which says what to do.
        this.#problem = this.#problem === null ? text : `${this.#problem}; ${text}`;
        this.#options.log("error", text);
      }
      const report = await this.folder.report(file.name).catch(() => null);
      this.#files = this.#files.flatMap((known) => (known.file === file.name ? (report ?? []) : known));
      this.#changed();
    });
  }

  /** Messages that had been taken are not in the file. */
  #wereDropped(topic: string, count: number): void {
    const counts = this.#countsOf(topic);
    for (const each of [counts, this.#sums]) {
      each.messages -= count;
      each.dropped = cappedSum(each.dropped, count);
    }
  }

  /** One after the other, and never rejects. */
  #do(work: () => void | Promise<void>): Promise<void> {
    return this.#work.run(work).catch((error: unknown) => this.#options.log("error", `the recording '${this.name}': ${messageOf(error)}`));
  }

  async #removeSurplus(): Promise<void> {
    const isOver = () => this.#files.length + (this.#file === null ? 0 : 1) > this.spec.max_files;
    while (isOver() && (await this.#removeOldest(`limit: ${this.spec.max_files} files`)));
    this.#changed();
  }

  /** False: there is none that could be removed. */
  async #removeOldest(reason: string): Promise<boolean> {
    const oldest = this.#files.find(({ is_growing }) => !is_growing);
    if (oldest === undefined) return false;
    await this.#forget(oldest.file);
    this.#options.log("info", `removed the oldest file of the recording '${this.name}' (${reason}): ${oldest.file}`);
    return true;
  }

  async #forget(file: string): Promise<void> {
    await this.folder.remove(file);
    this.#files = this.#files.filter((known) => known.file !== file);
  }

  /** A full disk makes room as configured; anything else ends the recording. True: there is room again. */
  async #writeFailed(error: unknown, file: string): Promise<boolean> {
    if (isDiskFull(error) && this.spec.on_full === "delete_oldest" && (await this.#removeOldest("the disk is full"))) return true;
    // Not awaited: the end waits for the write that failed.
    void this.#fail(isDiskFull(error) ? this.#fullText() : `${file} could not be written: ${messageOf(error)}`);
    return false;
  }

  async #fail(problem: string): Promise<void> {
    if (!this.isRecording) return;
    this.#options.log("error", `the recording '${this.name}' was stopped: ${problem}`);
    await this.stop(problem);
  }

  #fullText(): string {
    const { min_free_space } = this.spec;
    const limit = min_free_space === 0 ? "" : `: less than ${min_free_space} bytes are free (min_free_space)`;
    return `the disk of ${this.folder.path} is full${limit}. Make room there, then start the recording again`;
  }

  async #hasSpace(): Promise<boolean> {
    const { freeSpace = (folder: RecordingFolder) => folder.freeSpace() } = this.#options;
    while ((await freeSpace(this.folder)) < this.spec.min_free_space) {
      if (this.spec.on_full !== "delete_oldest" || !(await this.#removeOldest("too little free space"))) return false;
    }
    return true;
  }

  #schedule(): void {
    const { clock } = this.#options;
    this.#timer = clock.setTimeout(() => {
      this.#tick().catch((error: unknown) => this.#options.log("error", `the recording '${this.name}': ${messageOf(error)}`));
    }, FLUSH_MS);
  }

  async #tick(): Promise<void> {
    if (!this.isRecording) return;
    this.#schedule();
    const now = this.#options.clock.monotonic();
    this.#file?.flush(now);
    const { max_duration_ms } = this.spec;
    if (this.#file !== null && max_duration_ms !== null && now - this.#file.begunAt >= max_duration_ms) void this.#closeFile();
    if (this.#isDirty && now - this.#reportedAt >= REPORT_MS - 1) {
      this.#isDirty = false;
      this.#changed();
    }
    if (!(await this.#hasSpace())) await this.#fail(this.#fullText());
  }

  #end(): void {
    for (const leave of this.#leave.splice(0)) leave();
    this.#options.clock.clearTimeout(this.#timer);
  }

  #changed(): void {
    this.#reportedAt = this.#options.clock.monotonic();
    this.#options.changed(this);
  }
}

/** Messages that a publisher sent and that did not arrive, between the last one and this one. */
function missedBefore(counts: TopicCounts, sequence: bigint | null): number {
  if (sequence === null) return 0;
  const { last } = counts;
  counts.last = sequence;
  // A number that is not higher: the publisher has restarted its count.
  return last === null || sequence <= last ? 0 : Number(sequence - last - 1n);
}
