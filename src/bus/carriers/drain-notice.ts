/** Notices that a carrier has taken all that it was given, after it had not taken it at once. */
export class DrainNotice {
  readonly #unsent: () => number;
  /** Called then. */
  drained = () => {};
  #isWaiting = false;

  constructor(unsent: () => number) {
    this.#unsent = unsent;
  }

  /** Something was written. */
  wrote(): void {
    this.#isWaiting = this.#unsent() > 0;
  }

  /** The carrier has taken a part; to be passed on as the callback of a write. */
  readonly sent = (): void => {
    if (!this.#isWaiting || this.#unsent() > 0) return;
    this.#isWaiting = false;
    this.drained();
  };
}
