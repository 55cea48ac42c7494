/** Made once: `abort()` without a reason makes an exception with a stack trace, a tenth of a millisecond for each process that starts. */
const ENDED = new Error("it is no longer wanted");

/** Tells work that is under way that it is no longer wanted. */
export interface Cancellation {
  /** Aborted then. */
  readonly signal: AbortSignal;
  readonly isEnded: boolean;
  throwIfEnded(): void;
}

/** One piece of work. Thousands are begun at once and most never wait, so the signal is made only for those that ask for it. */
export class Task implements Cancellation {
  #isEnded = false;
  #controller: AbortController | null = null;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isEnded) this.#controller.abort(ENDED);
    return this.#controller.signal;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  throwIfEnded(): void {
    if (this.#isEnded) throw ENDED;
  }

  end(): void {
    this.#isEnded = true;
    this.#controller?.abort(ENDED);
  }
}
