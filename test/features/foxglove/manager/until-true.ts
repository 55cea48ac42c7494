/** Waits for something that events bring about. */
export class UntilTrue {
  readonly #checks = new Set<() => void>();

  check(): void {
    for (const check of this.#checks) check();
  }

  /** Resolves with the first value that `find` returns, now or after a later event. */
  found<Value>(find: () => Value | undefined): Promise<Value> {
    return new Promise((resolve) => {
      const check = () => {
        const value = find();
        if (value === undefined) return;
        this.#checks.delete(check);
        resolve(value);
      };
      this.#checks.add(check);
      check();
    });
  }
}
