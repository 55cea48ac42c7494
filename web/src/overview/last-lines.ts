/** Processes whose last line is kept. */
const MAX_KEPT = 500;
/** Processes that may wait to be asked about; rows out of sight ask no more. */
const MAX_WAITING = 64;

interface LastLinesParts {
  /** The last line of a process's output. */
  ask: (name: string) => Promise<string>;
  /** Called after each answer. */
  tell: () => void;
}

/** The last output lines of ended runs: each is asked for once, one after the other. */
export class LastLines {
  readonly #parts: LastLinesParts;
  /** By process: the end of the run that was asked for last, and the newest line that is known. */
  readonly #known = new Map<string, { end: string; line: string }>();
  readonly #waiting = new Map<string, string>();
  #isAsking = false;

  constructor(parts: LastLinesParts) {
    this.#parts = parts;
  }

  /** The newest last line of `name` that is known; "" without one. */
  of(name: string): string {
    return this.#known.get(name)?.line ?? "";
  }

  /** Asks for the last line of the run that ended at `end`, unless that has been done. When too many wait, the oldest is not asked for. */
  want(name: string, end: string): void {
    if (this.#known.get(name)?.end === end) return;
    this.#waiting.delete(name);
    this.#waiting.set(name, end);
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > MAX_WAITING && oldest !== undefined) this.#waiting.delete(oldest);
    void this.#next();
  }

  async #next(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    for (let first = this.#take(); first !== null; first = this.#take()) {
      const [name, end] = first;
      this.#keep(name, { end, line: this.of(name) });
      const line = await this.#parts.ask(name).catch(() => null);
      // What could not be asked, as without a connection, is asked again when it is wanted again.
      if (line === null) this.#known.delete(name);
      else this.#keep(name, { end, line });
      this.#parts.tell();
    }
    this.#isAsking = false;
  }

  #take(): [string, string] | null {
    const [first] = this.#waiting;
    if (first === undefined) return null;
    this.#waiting.delete(first[0]);
    return first;
  }

  #keep(name: string, entry: { end: string; line: string }): void {
    this.#known.delete(name);
    this.#known.set(name, entry);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KEPT && oldest !== undefined) this.#known.delete(oldest);
  }
}
