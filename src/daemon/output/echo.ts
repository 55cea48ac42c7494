/** How long an echo is waited for, milliseconds: a terminal echoes within a twentieth of it. */
const ECHO_MS = 1;

/**
 * Lets the echo of what was typed go out before the answer to it: somebody looks at the one, and the answer would keep
 * both ends busy while the echo comes.
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

  /** Output has come. */
  come(): void {
    this.#waiting?.come();
    this.#waiting = null;
  }
}
