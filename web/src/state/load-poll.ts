/** Pause between an answer and the next request, milliseconds. */
export const LOADS_EVERY_MS = 2_000;

export interface LoadPollParts<Loads> {
  /** `name`: of this process or group only. */
  ask: (name: string | undefined) => Promise<Loads>;
  /** The answer; null if the manager could not answer. */
  tell: (loads: Loads | null) => void;
  setTimeout: (run: () => void, milliseconds: number) => unknown;
  clearTimeout: (timer: unknown) => void;
}

/** Asks for loads again and again, but only while something shows them. One request is under way at a time. */
export class LoadPoll<Loads> {
  readonly #parts: LoadPollParts<Loads>;
  #viewers: readonly (string | undefined)[] = [];
  #isOn = false;
  #isAsking = false;
  #timer: unknown = null;

  constructor(parts: LoadPollParts<Loads>) {
    this.#parts = parts;
  }

  /** What open views show: a process or group, undefined for all. `isOn`: the page is visible, and connected. */
  update(viewers: readonly (string | undefined)[], isOn: boolean): void {
    const before = this.#wanted();
    this.#viewers = viewers;
    this.#isOn = isOn;
    if (this.#isWanted() && this.#timer !== null && before === this.#wanted()) return;
    this.#parts.clearTimeout(this.#timer);
    this.#timer = null;
    this.#next();
  }

  #isWanted(): boolean {
    return this.#isOn && this.#viewers.length > 0;
  }

  /** The only name that is shown, or undefined for all. */
  #wanted(): string | undefined {
    const [first] = this.#viewers;
    return this.#viewers.every((name) => name === first) ? first : undefined;
  }

  #next(): void {
    if (this.#isAsking || !this.#isWanted()) return;
    this.#isAsking = true;
    const { ask, tell } = this.#parts;
    ask(this.#wanted())
      .then(
        (loads) => tell(loads),
        () => tell(null),
      )
      .finally(() => {
        this.#isAsking = false;
        if (!this.#isWanted()) return;
        this.#timer = this.#parts.setTimeout(() => {
          this.#timer = null;
          this.#next();
        }, LOADS_EVERY_MS);
      });
  }
}
