import { writeSync } from "node:fs";
import { isShortage, MgrError } from "../../base/errors.ts";
import type { Clock } from "../../base/timing/clock.ts";
import { MAX_STDIN_QUEUE_BYTES } from "../../contract/messages.ts";

/** Maximum number of bytes written in a turn: about what the kernel accepts at once, so that a long paste never blocks the event loop. */
const PIECE_BYTES = 4_096;
/** Pauses while the child does not read, milliseconds: short for a busy child, long enough to cost nothing for one that never reads. */
const FIRST_PAUSE_MS = 1;
const MAX_PAUSE_MS = 64;

/**
 * Bytes on their way to a terminal, in order and bounded. Writes are non-blocking and made on this thread: a write
 * handed to the thread pool could run after the descriptor was closed and given to another file
 * (docs/design/library-defects.md, "Pseudo terminals").
 */
export class TerminalWriter {
  readonly #fd: number;
  readonly #clock: Clock;
  readonly #queue: Buffer[] = [];
  #queuedBytes = 0;
  #pause = FIRST_PAUSE_MS;
  #timer: unknown = null;
  #isClosed = false;

  /** `fd` has to be non-blocking, and stay open until `close`. */
  constructor(fd: number, clock: Clock) {
    this.#fd = fd;
    this.#clock = clock;
  }

  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  /** A copy of the bytes that wait. */
  get queued(): Buffer {
    return Buffer.concat(this.#queue);
  }

  /** Queues all of `bytes` or, throwing `busy`, nothing. */
  write(bytes: Buffer): void {
    if (this.#isClosed || bytes.length === 0) return;
    if (this.#queuedBytes + bytes.length > MAX_STDIN_QUEUE_BYTES) {
      throw new MgrError(
        "busy",
        `the process does not read its input: ${this.#queuedBytes} bytes wait already, and at most ${MAX_STDIN_QUEUE_BYTES} may; try again later`,
      );
    }
    this.#queue.push(bytes);
    this.#queuedBytes += bytes.length;
    if (this.#timer === null) this.#writePiece();
  }

  /** Drops the queue; nothing is written from now on. */
  close(): void {
    this.#isClosed = true;
    this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
    this.#queue.length = 0;
    this.#queuedBytes = 0;
  }

  #writePiece(): void {
    this.#timer = null;
    const [first] = this.#queue;
    if (first === undefined) return;
    const written = this.#tryWrite(first);
    if (written === null) {
      this.close();
      return;
    }
    this.#queuedBytes -= written;
    if (written === first.length) this.#queue.shift();
    else this.#queue[0] = first.subarray(written);
    this.#pause = written > 0 ? FIRST_PAUSE_MS : Math.min(this.#pause * 2, MAX_PAUSE_MS);
    if (this.#queue.length > 0) this.#timer = this.#clock.setTimeout(() => this.#writePiece(), written > 0 ? 0 : this.#pause);
  }

  /** Number of bytes that the kernel accepted: 0 if it is full, null if the terminal is gone. */
  #tryWrite(bytes: Buffer): number | null {
    try {
      return writeSync(this.#fd, bytes, 0, Math.min(bytes.length, PIECE_BYTES));
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === "EAGAIN" || isShortage(error)) return 0;
      if (code === "EIO") return null;
      throw error;
    }
  }
}
