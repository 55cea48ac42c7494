/** Time for which foreign packets are reported after the last one, milliseconds. */
const SHOWN_MS = 10_000;

/** Whether packets of a topic recently arrived from another publisher. */
export class ForeignPackets {
  isPresent = false;
  #isSeen = false;
  /** End of the report: monotonic, milliseconds. */
  #until = 0;

  see(): void {
    this.#isSeen = true;
  }

  /** Called periodically; returns true if `isPresent` has changed. */
  read(at: number): boolean {
    const before = this.isPresent;
    if (this.#isSeen) this.#until = at + SHOWN_MS;
    this.#isSeen = false;
    this.isPresent = at < this.#until;
    return this.isPresent !== before;
  }
}
