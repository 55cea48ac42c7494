/** Writes one state after the other. A state that another one follows before it is written is left out. */
export class StateWriter {
  readonly #write: () => Promise<void>;
  #last: Promise<void> = Promise.resolve();
  #queued: Promise<void> | null = null;

  constructor(write: () => Promise<void>) {
    this.#write = write;
  }

  /** Resolves when the present state is on disk, or could not be saved. */
  save(): Promise<void> {
    this.#queued ??= this.#last.then(() => {
      this.#queued = null;
      return this.#write();
    });
    this.#last = this.#queued;
    return this.#queued;
  }
}
