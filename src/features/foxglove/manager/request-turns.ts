import { MgrError } from "../../../base/errors.ts";
import { MAX_REQUESTS, MAX_WAITING_BYTES } from "../limits.ts";

/** Memory of a waiting request beside the bytes of its message, bytes. */
const OVERHEAD_BYTES = 1_024;

/** Lets some requests of a viewer run at the same time. Others wait, in the order in which they came: viewers send one message for each call, many at once. */
export class RequestTurns {
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #waitingBytes = 0;

  /** `bytes`: size of the message. Rejects as the request does, and with `busy` when too many bytes wait. */
  async run(bytes: number, request: () => Promise<unknown>): Promise<void> {
    if (this.#running >= MAX_REQUESTS) await this.#turn(bytes + OVERHEAD_BYTES);
    else this.#running++;
    try {
      await request();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }

  async #turn(bytes: number): Promise<void> {
    if (this.#waitingBytes + bytes > MAX_WAITING_BYTES)
      throw new MgrError(
        "busy",
        `${MAX_REQUESTS} requests are being answered and ${this.#waiting.length} wait, more than fit into ${MAX_WAITING_BYTES} bytes: this one has no effect`,
      );
    this.#waitingBytes += bytes;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#waitingBytes -= bytes;
  }
}
