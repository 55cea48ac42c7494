/** Reasons for which nothing more of a client's input is processed for the moment. */
export class InputHold {
  readonly #onEnd: () => void;
  #isDecisionDue = false;
  #wait: ReturnType<typeof setTimeout> | null = null;

  /** `onEnd` is called when input may be processed again. */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  get isOn(): boolean {
    return this.#isDecisionDue || this.#wait !== null;
  }

  /** Holds input until `decision` is made. If it is rejected, the hold does not end: nothing more is read from a refused client. */
  until(decision: Promise<void>, refused: (error: unknown) => void): void {
    this.#isDecisionDue = true;
    decision.then(() => {
      this.#isDecisionDue = false;
      this.#onEnd();
    }, refused);
  }

  /** Holds input until the returned function is called; `expired` is called if that takes longer than `maxMs`. */
  wait(maxMs: number, expired: () => void): () => void {
    const goOn = () => {
      this.close();
      this.#onEnd();
    };
    this.close();
    this.#wait = setTimeout(() => {
      goOn();
      expired();
    }, maxMs);
    return goOn;
  }

  close(): void {
    if (this.#wait) clearTimeout(this.#wait);
    this.#wait = null;
  }
}
