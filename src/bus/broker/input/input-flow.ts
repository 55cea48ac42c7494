import type { ByteStream } from "../../carriers/byte-stream.ts";

/** Number of unprocessed received bytes above which a client is not read any further. */
const MAX_UNREAD_BYTES = 256 * 1024;

/** Decides whether a connection is read. */
export class InputFlow {
  readonly #stream: ByteStream;
  #isPaused = false;
  #isHalted = false;

  constructor(stream: ByteStream) {
    this.#stream = stream;
  }

  /** Called when bytes were received and `unread` bytes wait to be processed. */
  received(unread: number): void {
    if (unread <= MAX_UNREAD_BYTES || this.#isPaused) return;
    this.#isPaused = true;
    this.#stream.pause();
  }

  /** Called when bytes were processed and `unread` bytes are left. */
  processed(unread: number): void {
    if (unread < MAX_UNREAD_BYTES / 2) this.resume();
  }

  /** Reads again, unless the connection is halted. */
  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    if (!this.#isHalted) this.#stream.resume();
  }

  /** Reads nothing more until `unhalt`; what was read before is delivered within this call. */
  halt(): void {
    this.#isHalted = true;
    this.#stream.handOver?.halt();
  }

  unhalt(): void {
    this.#isHalted = false;
    if (!this.#isPaused) this.#stream.resume();
  }
}
