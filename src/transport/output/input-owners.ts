/** A connection that shows terminals. */
export interface TerminalViewer {
  /** The size of a terminal that it follows has changed, or the owner of that size. */
  terminalChanged(process: string): void;
}

/**
 * Which connection has last typed into or resized each process, and which one holds the size of its terminal. Queries of a program are
 * answered by every terminal that shows it; the replies of the connection that was last are taken, those of all others are not
 * (docs/design/wire-rules.md, "Output"). A script that types holds no size: only those that resize or show the terminal do.
 */
export class InputOwners {
  readonly #last = new Map<string, TerminalViewer>();
  readonly #holders = new Map<string, TerminalViewer>();
  readonly #followers = new Map<string, Set<TerminalViewer>>();

  typed(process: string, connection: TerminalViewer): void {
    this.#last.set(process, connection);
    if (this.#holders.get(process) !== connection && this.#followers.get(process)?.has(connection)) this.#hold(process, connection);
  }

  resized(process: string, connection: TerminalViewer): void {
    this.#last.set(process, connection);
    this.#hold(process, connection);
  }

  isLast(process: string, connection: TerminalViewer): boolean {
    return this.#last.get(process) === connection;
  }

  holder(process: string, connection: TerminalViewer): "this" | "other" | "none" {
    const holder = this.#holders.get(process);
    if (holder === undefined) return "none";
    return holder === connection ? "this" : "other";
  }

  follow(process: string, connection: TerminalViewer): void {
    const followers = this.#followers.get(process) ?? new Set();
    this.#followers.set(process, followers.add(connection));
  }

  /** It no longer shows the terminal. */
  leave(process: string, connection: TerminalViewer): void {
    const followers = this.#followers.get(process);
    if (followers?.delete(connection) && followers.size === 0) this.#followers.delete(process);
    if (this.#holders.get(process) !== connection) return;
    this.#holders.delete(process);
    this.#tell(process);
  }

  /** Of a connection that has gone nothing is expected any more. */
  forget(connection: TerminalViewer): void {
    for (const [process, last] of this.#last) if (last === connection) this.#last.delete(process);
    for (const process of new Set([...this.#holders.keys(), ...this.#followers.keys()])) this.leave(process, connection);
  }

  #hold(process: string, connection: TerminalViewer): void {
    this.#holders.set(process, connection);
    this.#tell(process);
  }

  #tell(process: string): void {
    for (const follower of this.#followers.get(process) ?? []) follower.terminalChanged(process);
  }
}
