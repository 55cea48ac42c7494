/** Maximum number of unsent bytes in the kernel at which a connection to another machine is still written to: 1 ms on a network of 16 Mbit/s. */
const MAX_HELD_BYTES = 2 * 1024;
/** Size of a piece, bytes: this part of the bytes that the kernel has sent without delay, because asking the kernel costs time. */
const PIECE_PART = 1 / 16;
const MIN_PIECE_BYTES = 4 * 1024;
const MAX_PIECE_BYTES = 64 * 1024;
/** Pause before the kernel is queried again, milliseconds. */
const PAUSE_MS = 1;

/**
 * Writes in pieces, each once the kernel has sent the previous one: output in the kernel cannot be overtaken any more, while in the queue
 * short messages go first. Pieces also keep a large message from overflowing the short queue of a slow network, where a lost packet delays
 * all.
 */
export class KernelPace {
  readonly #held: (() => number) | undefined;
  readonly #onReady: () => void;
  #pause: ReturnType<typeof setTimeout> | null = null;
  /** Number of bytes written since the kernel was last found to hold some. */
  #flowing = 0;
  /** Number of bytes left of the piece. */
  #left = MIN_PIECE_BYTES;

  /**
   * `held` returns the number of bytes that the kernel has accepted and not sent; undefined: it sends at once. `onReady` is called when
   * more may be written.
   */
  constructor(held: (() => number) | undefined, onReady: () => void) {
    this.#held = held;
    this.#onReady = onReady;
  }

  /** Whether output is written in pieces. */
  get isOn(): boolean {
    return this.#held !== undefined;
  }

  wrote(bytes: number): void {
    this.#left -= bytes;
    this.#flowing += bytes;
  }

  /** Number of bytes that may be written now; 0: `onReady` follows. */
  get room(): number {
    if (this.#held === undefined) return Number.POSITIVE_INFINITY;
    if (this.#left > 0) return this.#left;
    if (this.#pause !== null) return 0;
    if (this.#held() <= MAX_HELD_BYTES) {
      this.#left = Math.max(MIN_PIECE_BYTES, Math.min(MAX_PIECE_BYTES, Math.floor(this.#flowing * PIECE_PART)));
      return this.#left;
    }
    this.#flowing = 0;
    this.#pause = setTimeout(() => {
      this.#pause = null;
      this.#onReady();
    }, PAUSE_MS);
    return 0;
  }

  close(): void {
    if (this.#pause) clearTimeout(this.#pause);
  }
}
