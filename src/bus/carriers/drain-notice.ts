/** Reports that a carrier has accepted all of its output, after it had not accepted it at once. */
export class DrainNotice {
  readonly #unsent: () => number;
  /** Called when the carrier has accepted all of its output. */
  drained = () => {};
  #isWaiting = false;

  constructor(unsent: () => number) {
    this.#unsent = unsent;
  }

  /** Called when something was written. */
  wrote(): void {
    this.#isWaiting = this.#unsent() > 0;
  }

  /** Called when the carrier has accepted a part; to be passed on as the callback of a write. */
  readonly sent = (): void => {
    if (!this.#isWaiting || this.#unsent() > 0) return;
    this.#isWaiting = false;
    this.drained();
  };
}
