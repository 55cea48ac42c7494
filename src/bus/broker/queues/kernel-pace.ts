/** A connection to another machine gets no queued message while the kernel holds more than this, bytes: 1 ms on a network of 16 Mbit/s. */
const MAX_HELD_BYTES = 2 * 1024;
/** Pause before the kernel is asked again, milliseconds. */
const PAUSE_MS = 1;

/**
 * Keeps messages in the queue while the kernel has not sent what it was given: what the kernel holds cannot be overtaken, in the queue short
 * messages go first.
 */
export class KernelPace {
  readonly #held: (() => number) | undefined;
  readonly #onReady: () => void;
  #pause: ReturnType<typeof setTimeout> | null = null;
  /** Bytes that were written since the kernel was asked. */
  #unasked = 0;

  /** `held`: bytes that the kernel has taken and not sent; undefined: it sends at once. `onReady` is called when messages may go on. */
  constructor(held: (() => number) | undefined, onReady: () => void) {
    this.#held = held;
    this.#onReady = onReady;
  }

  wrote(bytes: number): void {
    this.#unasked += bytes;
  }

  /** Whether messages have to wait; then `onReady` follows. */
  get isHeldUp(): boolean {
    if (this.#held === undefined || this.#unasked < MAX_HELD_BYTES) return false;
    if (this.#pause !== null) return true;
    if (this.#held() <= MAX_HELD_BYTES) {
      this.#unasked = 0;
      return false;
    }
    this.#pause = setTimeout(() => {
      this.#pause = null;
      this.#onReady();
    }, PAUSE_MS);
    return true;
  }

  close(): void {
    if (this.#pause) clearTimeout(this.#pause);
  }
}
