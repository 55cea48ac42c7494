/** Bytes that may wait: an hour of a busy manager's log. Later lines are dropped, and counted. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** At the end the rest is waited for so long, milliseconds. */
const CLOSE_MS = 1_000;

interface LineQueueOptions {
  /** Writes some of `lines`, at least the first; resolves with their number. Called again only when it has settled. */
  write: (lines: readonly string[]) => Promise<number>;
  /** The line that stands for `count` lost ones. */
  lostLine: (count: number) => string;
  /** Bytes. */
  maxWaiting?: number;
}

/**
 * Lines on their way to a file or a terminal. Nobody waits for it: a disk that stands still or a terminal that was stopped
 * (Ctrl-S) must not stop who writes. What could not be written is counted, and said once something can be written again.
 */
export class LineQueue {
  readonly #options: LineQueueOptions;
  #waiting: string[] = [];
  #bytes = 0;
  #lost = 0;
  #writing: Promise<void> | null = null;
  /** When the write that is under way began, on the monotonic clock. */
  #since: number | null = null;

  constructor(options: LineQueueOptions) {
    this.#options = options;
  }

  /** `line` with its newline. */
  push(line: string): void {
    if (this.#bytes + line.length > (this.#options.maxWaiting ?? MAX_WAITING_BYTES)) {
      this.#lost += 1;
      return;
    }
    this.#waiting.push(line);
    this.#bytes += line.length;
    this.#writing ??= this.#writeAll();
  }

  /** Takes away what waits, for who writes it in its own way in its last moments; nothing where writing stands still. */
  take(): string {
    if (this.#since !== null && performance.now() - this.#since > CLOSE_MS) return "";
    const rest = this.#waiting.join("");
    this.#waiting = [];
    this.#bytes = 0;
    return rest;
  }

  /** Resolves when nothing waits any more, or the time for that is over. */
  async drained(): Promise<void> {
    if (this.#writing === null) return;
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_MS);
    });
    await Promise.race([this.#writing, patience]);
    clearTimeout(timer);
  }

  async #writeAll(): Promise<void> {
    // What is written in the same turn goes together.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      if (this.#lost > 0) this.#waiting.unshift(this.#options.lostLine(this.#lost));
      const declared = this.#lost;
      this.#lost = 0;
      const lines = this.#waiting;
      this.#waiting = [];
      const count = await this.#write(lines);
      if (count === 0) this.#lost += declared + lines.length - (declared > 0 ? 1 : 0);
      const left = count === 0 ? [] : lines.slice(count);
      this.#waiting = [...left, ...this.#waiting];
      this.#bytes = this.#waiting.reduce((sum, line) => sum + line.length, 0);
    }
    this.#writing = null;
  }

  /** Number of lines written; 0 if it failed. */
  async #write(lines: readonly string[]): Promise<number> {
    this.#since = performance.now();
    try {
      return await this.#options.write(lines);
    } catch {
      // A log that cannot be written must not take down what it is about; the loss is said as soon as it can be.
      return 0;
    } finally {
      this.#since = null;
    }
  }
}
