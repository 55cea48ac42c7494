import { MgrError } from "../../../base/errors.ts";

/** Cancellations that are kept until their requests begin. */
const MAX_CANCELLED = 64;

/** The open questions of one connection, by the keys that its client has chosen. */
export class ConnectionRequests {
  readonly #open = new Map<string, AbortController>();
  /** Keys of requests that were cancelled before they began: the audit records them first. */
  readonly #cancelled = new Set<string>();
  #isClosed = false;

  /** Returns the signal that ends the question. Throws `conflict` if the key is in use. */
  begin(key: string): AbortSignal {
    if (this.#open.has(key)) throw new MgrError("conflict", `this connection has a question '${key}' already; choose another key`);
    const controller = new AbortController();
    this.#open.set(key, controller);
    if (this.#cancelled.delete(key) || this.#isClosed) controller.abort();
    return controller.signal;
  }

  end(key: string): void {
    this.#open.delete(key);
  }

  cancel(key: string): void {
    const controller = this.#open.get(key);
    if (controller !== undefined) controller.abort();
    else this.#cancelLater(key);
  }

  /** Ends all questions: their answers can no longer be delivered. */
  close(): void {
    this.#isClosed = true;
    for (const controller of this.#open.values()) controller.abort();
  }

  #cancelLater(key: string): void {
    this.#cancelled.add(key);
    const [oldest] = this.#cancelled;
    if (this.#cancelled.size > MAX_CANCELLED && oldest !== undefined) this.#cancelled.delete(oldest);
  }
}
