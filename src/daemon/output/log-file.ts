import { constants } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import { isDiskFull, MgrError, messageOf } from "../../base/errors.ts";
import type { Clock } from "../../base/timing/clock.ts";
import { SerialQueue } from "../../base/timing/serial-queue.ts";
import { resolvesWithin } from "../../base/timing/wait.ts";
import type { HostLogWriter } from "../../contract/messages.ts";
import { type LogFile as LogFileSpec, logFile } from "../../contract/run.ts";
import { makeFolders } from "../../files/make-folders.ts";
import { fitting, restOfCharacter, rotate } from "./log-rotation.ts";
import type { OutputRing } from "./output-ring.ts";

/** Minimum size of a ring that feeds a file, bytes: it is the file's queue. */
export const LOG_BACKLOG_BYTES = 1024 * 1024;
/** Unwritten bytes at which the process has to wait for the disk, and at which it may continue. */
const HIGH_BYTES = LOG_BACKLOG_BYTES / 2;
const LOW_BYTES = LOG_BACKLOG_BYTES / 8;
/** Time after which a process no longer waits for a disk that accepts nothing, milliseconds. */
const STALL_MS = 2_000;
const NEWLINE = 0x0a;
/** Maximum number of bytes written at once. */
const PIECE_BYTES = 256 * 1024;
/** Pieces from this size on are copied into memory that is kept while the file is open. */
const LARGE_BYTES = 64 * 1024;
/** Retry interval after a failure, milliseconds. */
const RETRY_MS = 1_000;
/** Time limit for writing the rest when the daemon ends, milliseconds. */
const CLOSE_MS = 2_000;
/** Time limit for a write in progress before the program is replaced, milliseconds. */
const QUIET_MS = 2_000;
/** Output of processes is readable by their user only, unless the configuration says otherwise. */
const DEFAULT_MODE = 0o600;
/** Mode of created folders: only the owner may write them, whatever the umask is, because a writer could replace a log file with a link. */
const FOLDER_MODE = 0o755;
// O_NONBLOCK: opening a named pipe without a reader must fail instead of waiting.
const OPEN_FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

interface LogFileOptions {
  /** Name of the process, for messages. */
  name: string;
  /** Settings of the file; `path` is absolute. */
  spec: LogFileSpec;
  ring: OutputRing;
  clock: Clock;
  log: HostLogWriter;
  /** The state of the file before the program was replaced. */
  taken?: LogFileState;
}

export const logFileState = z.object({
  spec: logFile,
  first_offset: z.int().min(0),
  next: z.int().min(0),
  lost: z.int().min(0),
  is_failing: z.boolean(),
  is_resting: z.boolean(),
});
export type LogFileState = z.infer<typeof logFileState>;

/**
 * A process's output in a file, from now on and across runs, rotated by size. The ring is its queue: output that the ring had
 * to drop before it was written is marked in the file. A disk that is merely slow makes the process wait.
 */
export class LogFile {
  readonly #options: LogFileOptions;
  #spec: LogFileSpec;
  /** Ring offset of the first byte that it was given. */
  readonly firstOffset: number;
  /** Ring offset of the next byte to write. */
  #next: number;
  readonly #turns = new SerialQueue();
  #file: FileHandle | null = null;
  #piece: Buffer | null = null;
  #isAtLineStart = true;
  #lost = 0;
  #work: Promise<void> | null = null;
  #retry: unknown = null;
  #isFailing = false;
  #isResting = false;
  #isClosed = false;
  #isQuiet = false;
  #stall: unknown = null;
  #stalledAt: number | null = null;
  #isPressed = false;
  #onPressure: (isPressed: boolean) => void = () => {};

  constructor(options: LogFileOptions) {
    this.#options = options;
    this.#spec = options.spec;
    const { ring, taken } = options;
    this.firstOffset = taken?.first_offset ?? ring.end;
    this.#next = taken?.next ?? this.firstOffset;
    this.#lost = taken?.lost ?? 0;
    this.#isFailing = taken?.is_failing ?? false;
    this.#isResting = taken?.is_resting ?? false;
  }

  /** Writes nothing more until `resume`, and closes the file. Rejects with `timeout` if a write does not end: its length is not known. */
  async quiet(): Promise<void> {
    this.#isQuiet = true;
    const { clock, name } = this.#options;
    const still = () => this.#closeFile();
    if (await resolvesWithin(this.#turns.run(still), QUIET_MS, clock)) return;
    throw new MgrError("timeout", `the log file of '${name}' (${this.#spec.path}) does not accept writes`);
  }

  handOver(): LogFileState {
    return {
      spec: this.#spec,
      first_offset: this.firstOffset,
      next: this.#next,
      lost: this.#lost,
      is_failing: this.#isFailing,
      is_resting: this.#isResting,
    };
  }

  /** Writes again after `quiet`. */
  goOn(): void {
    this.#isQuiet = false;
    this.pump();
  }

  get spec(): LogFileSpec {
    return this.#spec;
  }

  /** Calls `work` while nothing is written or rotated, with the ring offset of the first byte that is not in the file. */
  pausedFor<T>(work: (next: number) => Promise<T>): Promise<T> {
    return this.#turns.run(() => work(this.#next));
  }

  /**
   * Begins a run: sizes and mode come from its spec, the path stays. `onPressure` is called when the run has to wait for the disk, or may
   * continue.
   */
  resume(spec: LogFileSpec, onPressure: (isPressed: boolean) => void): void {
    this.#spec = { ...spec, path: this.#spec.path };
    this.#isResting = false;
    this.#onPressure = onPressure;
  }

  /** Ends a run: closes the file once all of it is written. */
  rest(): void {
    this.#isResting = true;
    this.#onPressure = () => {};
    this.pump();
  }

  /** Called when the ring may have grown. */
  pump(): void {
    this.#weigh();
    if (this.#retry === null && !this.#isClosed && !this.#isQuiet) this.#begin();
  }

  /** Writes the remaining output, as far as possible in a short time, and ends. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#options.clock.clearTimeout(this.#retry);
    this.#begin();
    const { clock, log, name } = this.#options;
    const deadline = clock.monotonic() + CLOSE_MS;
    const isInTime = await resolvesWithin(this.#work ?? Promise.resolve(), CLOSE_MS, clock);
    this.#isClosed = true;
    this.#press(false);
    clock.clearTimeout(this.#retry);
    const closing = this.#closeFile().catch((error: unknown) =>
      log("warning", `the log file of '${name}' could not be closed: ${messageOf(error)}`, [name]),
    );
    if (isInTime) await resolvesWithin(closing, Math.max(0, deadline - clock.monotonic()), clock);
  }

  #begin(): void {
    this.#work ??= this.#writeAll().finally(() => {
      this.#work = null;
      // Output may have arrived in the turn in which the last piece was finished.
      if (this.#hasWork) this.pump();
    });
  }

  get #hasWork(): boolean {
    return this.#next < this.#options.ring.end && this.#retry === null && !this.#isClosed && !this.#isQuiet;
  }

  async #writeAll(): Promise<void> {
    try {
      while (this.#next < this.#options.ring.end && !this.#isClosed && !this.#isQuiet) await this.#turns.run(() => this.#writePiece());
      if (this.#isQuiet) return;
      if (this.#isFailing) this.#recovered();
      if (this.#isResting) await this.#closeFile();
    } catch (error) {
      await this.#failed(error);
    }
  }

  async #writePiece(): Promise<void> {
    const { ring } = this.#options;
    const { file, size } = await this.#current();
    if (this.#next < ring.start) this.#skipLost();
    const bytes = this.#lost > 0 ? gapLine(this.#lost) : this.#nextPiece();
    const { max_size: maxSize, max_files: maxFiles } = this.#spec;
    const length = fitting(bytes, { size, maxSize, isAtLineStart: this.#isAtLineStart });
    const isFull = this.#lost > 0 ? size > 0 && length < bytes.length : length === 0;
    if (isFull) {
      await this.#closeFile();
      await rotate(this.#spec.path, maxFiles);
      return;
    }
    if (this.#lost > 0) {
      await writeWhole(file, bytes);
      this.#lost = 0;
      this.#isAtLineStart = true;
    } else {
      const begin = this.#next;
      await writeWhole(file, bytes.subarray(0, length), (written) => {
        this.#next = begin + written;
        this.#isAtLineStart = bytes[written - 1] === NEWLINE;
        this.#weigh();
      });
    }
  }

  /** Returns the next piece. One piece is written at a time, so a flood is copied into the same memory each time. */
  #nextPiece(): Buffer {
    const { ring } = this.#options;
    if (ring.end - this.#next < LARGE_BYTES) return ring.read(this.#next, PIECE_BYTES).data;
    this.#piece ??= Buffer.allocUnsafeSlow(PIECE_BYTES);
    return this.#piece.subarray(0, ring.copy(this.#next, this.#piece));
  }

  /** The open file, reopened if it was removed or renamed. Its size is read each time: other programs may truncate it. */
  async #current(): Promise<{ file: FileHandle; size: number }> {
    const { path } = this.#spec;
    if (this.#file !== null) {
      const [own, there] = await Promise.all([this.#file.stat(), stat(path).catch(() => null)]);
      if (own.ino === there?.ino && own.dev === there.dev) return { file: this.#file, size: own.size };
      await this.#closeFile();
    }
    await makeFolders(dirname(path), FOLDER_MODE);
    const file = await openOwn(path, this.#spec.mode ?? DEFAULT_MODE);
    this.#file = file;
    const { size } = await file.stat();
    this.#isAtLineStart = size === 0;
    return { file, size };
  }

  async #closeFile(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    this.#piece = null;
    await file?.close();
  }

  #skipLost(): void {
    const { ring } = this.#options;
    const from = ring.start + restOfCharacter(ring.read(ring.start, 4).data);
    this.#lost += from - this.#next;
    this.#next = from;
  }

  async #failed(error: unknown): Promise<void> {
    const { name, log, clock } = this.#options;
    await this.#closeFile().catch(() => {
      // Closing may fail with EIO or ENOSPC again: the descriptor is closed nevertheless.
    });
    if (this.#isClosed) return;
    if (!this.#isFailing) {
      this.#isFailing = true;
      log(
        "warning",
        `'${name}': Cannot write to ${this.#spec.path} (${isDiskFull(error) ? "disk full" : messageOf(error)}). Retrying. What the backlog cannot keep until then is lost`,
        [name],
      );
    }
    this.#press(false);
    this.#retry = clock.setTimeout(() => {
      this.#retry = null;
      if (!this.#isClosed && !this.#isQuiet) this.#begin();
    }, RETRY_MS);
  }

  #recovered(): void {
    const { name, log } = this.#options;
    this.#isFailing = false;
    log("info", `the log file of '${name}' (${this.#spec.path}) is written again`, [name]);
  }

  /** Decides whether the process has to wait for the disk. */
  #weigh(): void {
    const unwritten = this.#options.ring.end - this.#next;
    if (this.#stalledAt !== null && this.#stalledAt !== this.#next) this.#stalledAt = null;
    if (unwritten <= LOW_BYTES) this.#press(false);
    else if (unwritten >= HIGH_BYTES && !this.#isFailing && this.#stalledAt === null) this.#press(true);
  }

  #press(isPressed: boolean): void {
    if (this.#isPressed === isPressed) return;
    this.#isPressed = isPressed;
    this.#options.clock.clearTimeout(this.#stall);
    if (isPressed) this.#watchStall(this.#next);
    this.#onPressure(isPressed);
  }

  #watchStall(since: number): void {
    const { clock, name, log } = this.#options;
    this.#stall = clock.setTimeout(() => {
      if (this.#next !== since) {
        this.#watchStall(this.#next);
        return;
      }
      this.#stalledAt = since;
      log("warning", `the log file of '${name}' does not accept writes: '${name}' no longer waits for it, output may be lost`, [name]);
      this.#press(false);
    }, STALL_MS);
  }
}

/** Opens a log file. A new one gets exactly `mode`, whatever the umask is; an existing one keeps its own. */
async function openOwn(path: string, mode: number): Promise<FileHandle> {
  let file: FileHandle;
  try {
    // The file never has more permissions than requested, not even for a moment.
    file = await open(path, OPEN_FLAGS | constants.O_EXCL, mode & DEFAULT_MODE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return open(path, OPEN_FLAGS, DEFAULT_MODE);
  }
  try {
    await file.chmod(mode);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

function gapLine(lost: number): Buffer {
  return Buffer.from(`\n[mgr: ${lost} bytes of output could not be written here]\n`);
}

/** `onWritten` receives the number of bytes written so far: a full disk may accept only a part. */
async function writeWhole(file: FileHandle, bytes: Uint8Array, onWritten: (length: number) => void = () => {}): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done);
    done += bytesWritten;
    onWritten(done);
  }
}
