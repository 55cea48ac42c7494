import { resolvesWithin } from "../base/timing/wait.ts";

/** Maximum size of the queue, bytes: an hour of a busy manager's log. Further lines are dropped and counted. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** Time limit for writing the rest at the end, milliseconds. */
const CLOSE_MS = 1_000;

/** Minimum interval between writes, milliseconds: a burst of thousands of lines needs a few of them. A line after a pause is written at once. */
const APART_MS = 50;

/**
 * A line with its newline, or what makes it when it is written: the lines of a burst are made together then, by code that is in the caches of the
 * processor. `length`: its number of characters, about.
 */
export type Line = string | { readonly length: number; readonly text: () => string };

interface LineQueueOptions {
  /** Writes some of `lines`, at least the first; resolves with their number. Called again only when it has settled. */
  write: (lines: readonly string[]) => Promise<number>;
  /** The line that reports `count` lost lines. */
  lostLine: (count: number) => string;
  /** Maximum size of the queue, bytes. */
  maxWaiting?: number;
}

/**
 * Lines on their way to a file or a terminal. Callers never wait: a disk that hangs or a terminal that was stopped (Ctrl-S)
 * must not block them. Lines that could not be written are counted; the loss is reported once writing works again.
 */
export class LineQueue {
  readonly #options: LineQueueOptions;
  #waiting: Line[] = [];
  #bytes = 0;
  #lost = 0;
  #writing: Promise<void> | null = null;
  /** Start of the write in progress, on the monotonic clock. */
  #since: number | null = null;
  /** Monotonic time at which the last write began. */
  #last = Number.NEGATIVE_INFINITY;
  /** Ends the wait for the next write. */
  #hurry: (() => void) | null = null;

  constructor(options: LineQueueOptions) {
    this.#options = options;
  }

  /** Number of characters that are not written yet, about. */
  get waiting(): number {
    return this.#bytes;
  }

  /** Queues a line. */
  push(line: Line): void {
    if (this.#bytes + line.length > (this.#options.maxWaiting ?? MAX_WAITING_BYTES)) {
      this.#lost += 1;
      return;
    }
    this.#waiting.push(line);
    this.#bytes += line.length;
    this.#writing ??= this.#writeAll();
  }

  /** Removes and returns the waiting lines, for a caller that writes them itself at exit; nothing while a write hangs. */
  take(): string {
    if (this.#since !== null && performance.now() - this.#since > CLOSE_MS) return "";
    const rest = this.#waiting.map(textOf).join("");
    this.#waiting = [];
    this.#bytes = 0;
    return rest;
  }

  /** Resolves when nothing waits any more, or the time limit is over. */
  async drained(): Promise<void> {
    if (this.#writing === null) return;
    this.#hurry?.();
    await resolvesWithin(this.#writing, CLOSE_MS);
  }

  async #writeAll(): Promise<void> {
    // Lines of the same turn are written together.
    await new Promise<void>((resolve) => setImmediate(resolve));
    let isRest = false;
    while (this.#waiting.length > 0) {
      if (!isRest) await this.#untilDue();
      if (this.#waiting.length === 0) break; // taken meanwhile
      if (this.#lost > 0) this.#waiting.unshift(this.#options.lostLine(this.#lost));
      const declared = this.#lost;
      this.#lost = 0;
      const lines = this.#waiting.map(textOf);
      this.#waiting = [];
      const count = await this.#write(lines);
      if (count === 0) this.#lost += declared + lines.length - (declared > 0 ? 1 : 0);
      const left = count === 0 ? [] : lines.slice(count);
      isRest = left.length > 0;
      this.#waiting = [...left, ...this.#waiting];
      this.#bytes = this.#waiting.reduce((sum, line) => sum + line.length, 0);
    }
    this.#writing = null;
  }

  async #untilDue(): Promise<void> {
    const left = this.#last + APART_MS - performance.now();
    if (left <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, left);
      this.#hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#hurry = null;
  }

  /** Number of lines written; 0 if it failed. */
  async #write(lines: readonly string[]): Promise<number> {
    this.#last = performance.now();
    this.#since = this.#last;
    try {
      return await this.#options.write(lines);
    } catch {
      // A log that cannot be written must not crash the program; the loss is reported as soon as possible.
      return 0;
    } finally {
      this.#since = null;
    }
  }
}

/** Makes the text of a line. */
export function textOf(line: Line): string {
  return typeof line === "string" ? line : line.text();
}
