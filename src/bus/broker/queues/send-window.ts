/**
 * Bounds of the window, bytes. With a smaller one, a fast connection would need many writes; with a larger one, short messages would wait
 * behind it.
 */
const MIN_WINDOW_BYTES = 4 * 1024;
const MAX_WINDOW_BYTES = 256 * 1024;
/** Time for which a connection is given output in advance, milliseconds. */
const AHEAD_MS = 2;
/**
 * Minimum rate of a fast receiver, bytes per millisecond (20 MB/s), on average over this many milliseconds of waiting for it: now and then
 * the receiver waits for a processor itself.
 */
const FAST_BYTES_PER_MS = 20_000;
const JUDGED_MS = 100;

/**
 * Limits the bytes that are given to a connection in advance. They cannot be overtaken any more, so the window holds what the connection
 * sends in two milliseconds.
 */
export class SendWindow {
  bytes: number;
  /** Free bytes of the window when the connection was last checked: a check for each message takes long. */
  room: number;
  /** Whether the receiver has read fast when it had to be waited for. */
  isFast = true;
  /** Number of bytes that the receiver has read since it was judged last, and the time that this took, milliseconds. */
  #read = { bytes: 0, ms: 0 };
  #since = 0;
  #written = 0;
  /** Whether the connection has not accepted all of its output. */
  #isWaiting = false;

  readonly #max: number;

  /** `max`: its bound for this connection, bytes. */
  constructor(max: number) {
    this.#max = Math.min(MAX_WINDOW_BYTES, max);
    this.bytes = this.#max;
    this.room = this.#max;
  }

  /** Called with the number of bytes that the connection could not accept yet. */
  update(unsent: number): void {
    this.room = this.bytes - unsent;
  }

  /** Called when `bytes` were written to the connection, which has not accepted `unsent` bytes now. */
  wrote(bytes: number, unsent: number): void {
    this.update(unsent);
    if (unsent === 0) {
      if (bytes < this.bytes) return;
      // The connection accepted at once what a fast receiver reads in that time.
      this.isFast ||= bytes >= FAST_BYTES_PER_MS * AHEAD_MS;
      this.bytes = Math.min(this.#max, 2 * this.bytes);
      return;
    }
    if (!this.#isWaiting) {
      this.#isWaiting = true;
      this.#since = performance.now();
      this.#written = unsent;
    } else this.#written += bytes;
  }

  /** Called when the connection has accepted all output. */
  drained(): void {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    const ms = Math.max(0.01, performance.now() - this.#since);
    const rate = this.#written / ms;
    this.#judge(this.#written, ms);
    this.bytes = Math.min(this.#max, Math.max(MIN_WINDOW_BYTES, Math.round(rate * AHEAD_MS)));
  }

  /** Called when the receiver has stopped reading. */
  stalled(): void {
    this.isFast = false;
    this.#read = { bytes: 0, ms: 0 };
  }

  #judge(bytes: number, ms: number): void {
    const read = this.#read;
    read.bytes += bytes;
    read.ms += ms;
    if (read.ms < JUDGED_MS) return;
    this.isFast = read.bytes / read.ms >= FAST_BYTES_PER_MS;
    this.#read = { bytes: 0, ms: 0 };
  }
}
