import { messageOf } from "../../../base/errors.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import { withFallback } from "../../../base/timing/wait.ts";
import { formatTime } from "../../../protocol/time.ts";
import { keyId, seal } from "../trail/chain.ts";
import { MAX_LINE_BYTES } from "../trail/files.ts";
import type { NewRecord } from "../trail/records.ts";
import { TrailFile } from "./trail-file.ts";
import type { TrailEnd } from "./trail-opening.ts";

/** Lines that wait for the disk: beyond it, records are lost and counted. */
const MAX_QUEUED_LINES = 10_000;
const MAX_QUEUED_BYTES = 16 * 1024 * 1024;
/** Most bytes of one write. */
const MAX_WRITE_BYTES = 1024 * 1024;
/** Time for which an outcome waits for the next request to share its write, milliseconds. */
const LAZY_MS = 100;
/** Delay before a failed write is tried again, milliseconds. */
const RETRY_MS = 2_000;
/** Time for which the end of the manager waits for the disk, milliseconds. */
const CLOSE_MS = 2_000;

export interface TrailLimits {
  /** Size at which a file ends, bytes. */
  readonly max_size: number;
  readonly max_files: number;
}

export interface TrailWriterOptions {
  readonly clock: Clock;
  readonly folder: string;
  readonly end: TrailEnd;
  readonly limits: () => TrailLimits;
  readonly warn: (msg: string) => void;
  /** Called with each line, without its end, when it is on the disk. */
  readonly onWritten?: (line: string) => void;
  /** Called with the reason why nothing can be written, and with null once writing works again. */
  readonly onProblem: (problem: string | null) => void;
  /** Writes lines to the disk; by default to the files of the folder. */
  readonly file?: Pick<TrailFile, "append" | "close">;
}

interface Line {
  readonly file: number;
  readonly oldest: number;
  readonly text: string;
}

/** Numbers and seals records, and writes them in their order; those of one turn share a write, and one write is under way at a time. */
export class TrailWriter {
  readonly #options: TrailWriterOptions;
  readonly #file: Pick<TrailFile, "append" | "close">;
  readonly #key: Buffer;
  #files: readonly number[];
  /** The file of the next line. */
  #current: { readonly number: number; size: number; readonly oldest: number } | null;
  #mac: string;
  #seq: number;
  readonly #queue: Line[] = [];
  #queuedBytes = 0;
  #unrecorded = 0;
  #lost = 0;
  #problem: string | null = null;
  #writing: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;
  #lazy: unknown = null;
  #retry: unknown = null;
  #closed: Promise<void> | null = null;

  constructor(options: TrailWriterOptions) {
    this.#options = options;
    const { key, files, current, mac, seq, cut } = options.end;
    const { folder, clock, warn } = options;
    const onRemoved = (path: string) =>
      warn(`${path} was removed or replaced while the manager wrote it; the audit continues without its records`);
    this.#file = options.file ?? new TrailFile({ folder, key, monotonic: () => clock.monotonic(), onRemoved });
    this.#key = key;
    this.#files = files;
    this.#current = current && { number: current.file, size: current.size, oldest: files[0] ?? current.file };
    this.#mac = mac;
    this.#seq = seq;
    if (cut !== null) this.#markCut(cut);
  }

  /** The reason why nothing can be written now. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Number of records that were lost, because too many waited for the disk. */
  get lost(): number {
    return this.#lost;
  }

  /** Number of the newest record. */
  get seq(): number {
    return this.#seq;
  }

  /** Queues a record; its number, or null if it is lost. It is written soon, with others. */
  append(record: NewRecord): number | null {
    if (this.#queue.length >= MAX_QUEUED_LINES || this.#queuedBytes >= MAX_QUEUED_BYTES || this.#closed !== null) {
      this.#unrecorded++;
      this.#lost++;
      return null;
    }
    if (this.#unrecorded > 0) {
      const reason = this.#problem ?? "too many records waited for the disk";
      this.#seal({ event: "lost", count: this.#unrecorded, reason });
      this.#unrecorded = 0;
    }
    const seq = this.#seal(record);
    this.#lazy ??= this.#options.clock.setTimeout(() => void this.saved().catch(() => undefined), LAZY_MS);
    return seq;
  }

  /** Resolves when all records so far are on the disk; rejects if they could not be written now. */
  saved(): Promise<void> {
    if (this.#next === null) {
      this.#next = this.#writeAfter(this.#writing);
      this.#writing = this.#next.catch(() => undefined);
    }
    return this.#next;
  }

  /** Ends within seconds, even if the disk does not. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const { clock } = this.#options;
    await withFallback(
      this.saved().catch(() => undefined),
      CLOSE_MS,
      () => undefined,
      clock,
    );
    clock.clearTimeout(this.#lazy);
    clock.clearTimeout(this.#retry);
    await withFallback(this.#file.close(), CLOSE_MS, () => undefined, clock);
  }

  #markCut(cut: { readonly bytes: number; readonly sha256: string }): void {
    this.#options.warn("the end of the manager before cut the last line of the audit, which is marked");
    // The cut line gets its end first.
    if (this.#current !== null) this.#push({ file: this.#current.number, oldest: this.#current.oldest, text: "\n" });
    this.#seal({ event: "cut", ...cut });
  }

  #seal(record: NewRecord): number {
    const { max_size, max_files } = this.#options.limits();
    if (this.#current === null || this.#current.size >= max_size) this.#current = this.#beginFile(max_files);
    this.#pushSealed(this.#current, record);
    return this.#seq;
  }

  #beginFile(maxFiles: number) {
    const number = (this.#files.at(-1) ?? 0) + 1;
    this.#files = [...this.#files, number].slice(-maxFiles);
    const begun = { number, size: 0, oldest: this.#files[0] ?? number };
    this.#pushSealed(begun, { event: "file", file: number, oldest: begun.oldest, key: keyId(this.#key), previous: this.#mac });
    return begun;
  }

  #pushSealed(current: { readonly number: number; readonly oldest: number }, record: NewRecord): void {
    const time = formatTime(this.#options.clock.now());
    const { text, mac } = seal(this.#key, this.#mac, { seq: this.#seq + 1, time, ...record });
    if (text.length > MAX_LINE_BYTES) throw new RangeError(`a record of ${text.length} characters is too long for the audit`);
    this.#seq++;
    this.#mac = mac;
    this.#push({ file: current.number, oldest: current.oldest, text });
  }

  #push(line: Line): void {
    const bytes = Buffer.byteLength(line.text);
    this.#queuedBytes += bytes;
    this.#queue.push(line);
    if (this.#current?.number === line.file) this.#current.size += bytes;
  }

  async #writeAfter(previous: Promise<void>): Promise<void> {
    await endOfTurn();
    await previous;
    this.#next = null; // From here on records are too late for this write.
    try {
      await this.#write();
      this.#settle(null);
    } catch (error) {
      this.#settle(messageOf(error));
      throw error;
    }
  }

  async #write(): Promise<void> {
    const { clock, onWritten } = this.#options;
    clock.clearTimeout(this.#lazy);
    this.#lazy = null;
    for (let left = this.#queue.length; left > 0; ) {
      const batch = this.#batch(left);
      const [first] = batch;
      if (first === undefined) return;
      const text = batch.map((line) => line.text).join("");
      await this.#file.append(first.file, text, first.oldest);
      this.#queue.splice(0, batch.length);
      this.#queuedBytes -= Buffer.byteLength(text);
      left -= batch.length;
      for (const line of batch) if (line.text.length > 1) onWritten?.(line.text.slice(0, -1));
    }
  }

  /** The next lines of one file. */
  #batch(most: number): Line[] {
    const batch: Line[] = [];
    let bytes = 0;
    for (const line of this.#queue) {
      if (batch.length >= most || bytes >= MAX_WRITE_BYTES || line.file !== this.#queue[0]?.file) break;
      batch.push(line);
      bytes += line.text.length;
    }
    return batch;
  }

  #settle(problem: string | null): void {
    const { clock, onProblem } = this.#options;
    const hadProblem = this.#problem !== null;
    this.#problem = problem;
    if ((problem !== null) !== hadProblem) onProblem(problem);
    if (problem === null || this.#closed !== null) return;
    clock.clearTimeout(this.#retry);
    this.#retry = clock.setTimeout(() => void this.saved().catch(() => undefined), RETRY_MS);
  }
}

function endOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
