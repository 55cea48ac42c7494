/**
 * Delivers messages to listeners, first in, first out: a message that a listener publishes during a delivery comes after the current one, for all
 * listeners (RxJS alone would reverse that order). If a listener throws, `onError` is called and the others still get the message.
 */
export class Publisher<Message> {
  readonly #listeners = new Set<(message: Message) => void>();
  readonly #queue: Message[] = [];
  readonly #onError: (error: unknown) => void;
  #isDraining = false;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  publish(message: Message): void {
    this.#queue.push(message);
    if (this.#isDraining) return;
    this.#isDraining = true;
    try {
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) this.#deliver(next);
    } finally {
      this.#isDraining = false;
    }
  }

  /** Returns the function that unsubscribes. */
  subscribe(listener: (message: Message) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #deliver(message: Message): void {
    for (const listener of this.#listeners) {
      try {
        listener(message);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}
