/** A connection that shows terminals. */
export interface TerminalViewer {
  /** Called when the size of a followed terminal, or the owner of that size, has changed. */
  terminalChanged(process: string): void;
}

/**
 * The connection that last typed into or resized each process, and the one that holds the size of its terminal. Queries of a program are answered
 * by every terminal that shows it; only the replies of the last connection are accepted (docs/design/wire-rules.md, "Output"). A script that types
 * holds no size: only clients that resize or show the terminal do.
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

  /** Called when the connection no longer shows the terminal. */
  release(process: string, connection: TerminalViewer): void {
    const followers = this.#followers.get(process);
    if (followers?.delete(connection) && followers.size === 0) this.#followers.delete(process);
    if (this.#holders.get(process) !== connection) return;
    this.#holders.delete(process);
    this.#notify(process);
  }

  /** Forgets a closed connection. */
  forget(connection: TerminalViewer): void {
    for (const [process, last] of this.#last) if (last === connection) this.#last.delete(process);
    for (const process of new Set([...this.#holders.keys(), ...this.#followers.keys()])) this.release(process, connection);
  }

  #hold(process: string, connection: TerminalViewer): void {
    this.#holders.set(process, connection);
    this.#notify(process);
  }

  #notify(process: string): void {
    for (const follower of this.#followers.get(process) ?? []) follower.terminalChanged(process);
  }
}
