/** Answers that stay open (log followers): ended when the manager closes or their user is no longer let in. */
export class Followers {
  readonly #open = new Map<() => void, Belonging>();

  add(belonging: Belonging, end: () => void): () => void {
    this.#open.set(end, belonging);
    return () => this.#open.delete(end);
  }

  end(which: (belonging: Belonging) => boolean): void {
    for (const [end, belonging] of [...this.#open]) {
      if (which(belonging)) end();
    }
  }
}

/** The owner of something that lives longer than its request. */
export interface Belonging {
  readonly user: string;
  readonly sessionId: string | null;
}
