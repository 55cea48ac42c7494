/** At most so many pass in one turn of the event loop, in the order in which they came: thousands may have waited for the same write to the disk. */
export class TurnShare {
  readonly #perTurn: number;
  readonly #waiting: (() => void)[] = [];
  #left: number;
  #isTurning = false;

  constructor(perTurn: number) {
    this.#perTurn = perTurn;
    this.#left = perTurn;
  }

  /** Resolves when it is this one's turn. */
  pass(): Promise<void> {
    this.#nextTurn();
    if (this.#left > 0) {
      this.#left--;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #nextTurn(): void {
    if (this.#isTurning) return;
    this.#isTurning = true;
    setImmediate(() => {
      this.#isTurning = false;
      const through = this.#waiting.splice(0, this.#perTurn);
      this.#left = this.#perTurn - through.length;
      if (through.length > 0) this.#nextTurn();
      for (const go of through) go();
    });
  }
}
