/** Bounds of the window, bytes. With less, a fast connection would need many writes; with more, short messages would wait behind it. */
const MIN_WINDOW_BYTES = 4 * 1024;
const MAX_WINDOW_BYTES = 256 * 1024;
/** Time for which a connection is given output in advance, milliseconds. */
const AHEAD_MS = 2;
/**
 * A receiver that reads at least so many bytes in a millisecond is fast (20 MB/s), on average of so many milliseconds in which it had to be
 * waited for: now and then it waits for a processor itself.
 */
const FAST_BYTES_PER_MS = 20_000;
const JUDGED_MS = 100;

/**
 * How many bytes are given to a connection in advance. What was given cannot be overtaken any more, so it is what the connection sends in two
 * milliseconds.
 */
export class SendWindow {
  bytes: number;
  /** Bytes of it that were free when the connection was last looked at: to look for each message takes long. */
  room: number;
  /** The receiver has read fast when it had to be waited for. */
  isFast = true;
  /** Bytes that the receiver has read since it was judged last, and the time that this took. */
  #read = { bytes: 0, ms: 0 };
  #since = 0;
  #written = 0;
  /** The connection has not taken all that it was given. */
  #isWaiting = false;

  readonly #max: number;

  /** `max`: its bound for this connection, bytes. */
  constructor(max: number) {
    this.#max = Math.min(MAX_WINDOW_BYTES, max);
    this.bytes = this.#max;
    this.room = this.#max;
  }

  /** The connection has so many bytes that it could not take yet. */
  look(unsent: number): void {
    this.room = this.bytes - unsent;
  }

  /** The connection was given so many bytes, and has `unsent` bytes now. */
  wrote(bytes: number, unsent: number): void {
    this.look(unsent);
    if (unsent === 0) {
      if (bytes < this.bytes) return;
      // It took at once what a fast receiver reads in that time.
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

  /** The connection has taken all. */
  drained(): void {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    const ms = Math.max(0.01, performance.now() - this.#since);
    const rate = this.#written / ms;
    this.#judge(this.#written, ms);
    this.bytes = Math.min(this.#max, Math.max(MIN_WINDOW_BYTES, Math.round(rate * AHEAD_MS)));
  }

  /** The receiver has stopped reading. */
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
