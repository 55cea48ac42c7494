/** Bounds of the window, bytes. With less, a fast connection would need many writes; with more, short messages would wait behind it. */
const MIN_WINDOW_BYTES = 4 * 1024;
const MAX_WINDOW_BYTES = 256 * 1024;
/** Time for which a connection is given output in advance, milliseconds. */
const AHEAD_MS = 2;
/** A receiver that reads at least so many bytes in a millisecond is fast (20 MB/s). */
const FAST_BYTES_PER_MS = 20_000;

/**
 * How many bytes are given to a connection in advance. What was given cannot be overtaken any more, so it is what the connection sends in two
 * milliseconds.
 */
export class SendWindow {
  bytes: number;
  /** The receiver has read fast whenever it had to be waited for. */
  isFast = true;
  #since = 0;
  #written = 0;
  /** The connection has not taken all that it was given. */
  #isWaiting = false;

  readonly #max: number;

  /** `max`: its bound for this connection, bytes. */
  constructor(max: number) {
    this.#max = Math.min(MAX_WINDOW_BYTES, max);
    this.bytes = this.#max;
  }

  /** The connection was given so many bytes, and has `unsent` bytes now. */
  wrote(bytes: number, unsent: number): void {
    if (unsent === 0) {
      if (bytes >= this.bytes) this.bytes = Math.min(this.#max, 2 * this.bytes);
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
    const rate = this.#written / Math.max(0.01, performance.now() - this.#since);
    this.isFast = rate >= FAST_BYTES_PER_MS;
    this.bytes = Math.min(this.#max, Math.max(MIN_WINDOW_BYTES, Math.round(rate * AHEAD_MS)));
  }

  /** The receiver has stopped reading. */
  stalled(): void {
    this.isFast = false;
  }
}
