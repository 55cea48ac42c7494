/** Maximum number of processes whose last line is kept. */
const MAX_KNOWN_LINES = 500;
/** Maximum number of waiting requests; the oldest are dropped, since their rows are usually out of view. */
const MAX_WAITING = 64;

interface LastLinesParts {
  /** Requests the last line of a process's output. */
  ask: (name: string) => Promise<string>;
  /** Called after each answer. */
  onAnswer: () => void;
}

/** The last output lines of ended runs, each requested once, one request at a time. */
export class LastLines {
  readonly #parts: LastLinesParts;
  /** By process: the end of the run that was requested last, and its newest known line. */
  readonly #known = new Map<string, { end: string; line: string }>();
  readonly #waiting = new Map<string, string>();
  #isAsking = false;

  constructor(parts: LastLinesParts) {
    this.#parts = parts;
  }

  /** The newest known last line of `name`; "" without one. */
  of(name: string): string {
    return this.#known.get(name)?.line ?? "";
  }

  /** Requests the last line of the run that ended at `end`, unless that was done. If too many requests wait, the oldest is dropped. */
  request(name: string, end: string): void {
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
    for (let first = this.#dequeue(); first !== null; first = this.#dequeue()) {
      const [name, end] = first;
      this.#keep(name, { end, line: this.of(name) });
      const line = await this.#parts.ask(name).catch(() => null);
      // A request that failed, for example without a connection, is sent again at the next call of `want`.
      if (line === null) this.#known.delete(name);
      else this.#keep(name, { end, line });
      this.#parts.onAnswer();
    }
    this.#isAsking = false;
  }

  #dequeue(): [string, string] | null {
    const [first] = this.#waiting;
    if (first === undefined) return null;
    this.#waiting.delete(first[0]);
    return first;
  }

  #keep(name: string, entry: { end: string; line: string }): void {
    this.#known.delete(name);
    this.#known.set(name, entry);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN_LINES && oldest !== undefined) this.#known.delete(oldest);
  }
}
