/** Maximum time to wait for an echo, milliseconds: a terminal echoes within a twentieth of it. */
const ECHO_MS = 1;

/**
 * Sends the echo of typed input before the answer to it: the user is watching for the echo, and the answer would keep both
 * ends busy while the echo is in flight.
 */
export class Echo {
  #waiting: { promise: Promise<void>; come: () => void } | null = null;

  /** Resolves with the next output, or after a moment. */
  next(): Promise<void> {
    if (this.#waiting !== null) return this.#waiting.promise;
    let come = () => {};
    const promise = new Promise<void>((resolve) => {
      const timer = setTimeout(() => this.come(), ECHO_MS);
      come = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#waiting = { promise, come };
    return promise;
  }

  /** Ends the wait: output was received. */
  come(): void {
    this.#waiting?.come();
    this.#waiting = null;
  }
}
