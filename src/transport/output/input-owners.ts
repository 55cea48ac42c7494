/**
 * Which connection has last typed into or resized each process. Queries of a program are answered by every terminal that
 * shows it; the replies of that one connection are taken, those of all others are not (docs/design/wire-rules.md, "Output").
 */
export class InputOwners {
  readonly #last = new Map<string, object>();

  note(process: string, connection: object): void {
    this.#last.set(process, connection);
  }

  isLast(process: string, connection: object): boolean {
    return this.#last.get(process) === connection;
  }

  /** Of a connection that has gone nothing is expected any more. */
  forget(connection: object): void {
    for (const [process, last] of this.#last) if (last === connection) this.#last.delete(process);
  }
}
