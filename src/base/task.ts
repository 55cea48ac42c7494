/** Created once: `abort()` without a reason creates an exception with a stack trace, a tenth of a millisecond for each process that starts. */
const ENDED = new Error("it is no longer wanted");

/** The cancellation of work that is under way. */
export interface Cancellation {
  /** Aborted when the work is cancelled. */
  readonly signal: AbortSignal;
  readonly isEnded: boolean;
  throwIfEnded(): void;
}

/** One piece of work. Thousands are begun at once and most never wait, so the signal is created only when it is read. */
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
