/** Pause between an answer and the next request, ms. */
export const LOADS_EVERY_MS = 2_000;

export interface LoadPollParts<Loads> {
  /** Requests loads. `name`: of this process or group only. */
  ask: (name: string | undefined) => Promise<Loads>;
  /** Called with the answer; null if the manager could not answer. */
  onAnswer: (loads: Loads | null) => void;
  setTimeout: (run: () => void, milliseconds: number) => unknown;
  clearTimeout: (timer: unknown) => void;
}

/** Requests loads repeatedly, but only while a view shows them. One request is pending at a time. */
export class LoadPoll<Loads> {
  readonly #parts: LoadPollParts<Loads>;
  #viewers: readonly (string | undefined)[] = [];
  #isOn = false;
  #isAsking = false;
  #timer: unknown = null;

  constructor(parts: LoadPollParts<Loads>) {
    this.#parts = parts;
  }

  /** `viewers`: the process or group that each open view shows, undefined for all. `isOn`: whether the page is visible and connected. */
  update(viewers: readonly (string | undefined)[], isOn: boolean): void {
    const before = this.#requested();
    this.#viewers = viewers;
    this.#isOn = isOn;
    if (this.#isRequested() && this.#timer !== null && before === this.#requested()) return;
    this.#parts.clearTimeout(this.#timer);
    this.#timer = null;
    this.#next();
  }

  #isRequested(): boolean {
    return this.#isOn && this.#viewers.length > 0;
  }

  /** The name that all views show, or undefined for all. */
  #requested(): string | undefined {
    const [first] = this.#viewers;
    return this.#viewers.every((name) => name === first) ? first : undefined;
  }

  #next(): void {
    if (this.#isAsking || !this.#isRequested()) return;
    this.#isAsking = true;
    const { ask, onAnswer } = this.#parts;
    ask(this.#requested())
      .then(
        (loads) => onAnswer(loads),
        () => onAnswer(null),
      )
      .finally(() => {
        this.#isAsking = false;
        if (!this.#isRequested()) return;
        this.#timer = this.#parts.setTimeout(() => {
          this.#timer = null;
          this.#next();
        }, LOADS_EVERY_MS);
      });
  }
}
