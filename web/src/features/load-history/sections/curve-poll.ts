/** Interval between requests, and delay of the first one of rows that come into view together, ms. */
export const CURVES_EVERY_MS = 10_000;
export const CURVES_SOON_MS = 150;
/** Processes of one request, at most. */
const MAX_NAMES = 500;
/** Curves of rows that went out of view are kept for when they return. */
const MAX_KEPT = 2_000;

export type CurveValues = readonly (number | null)[];

export interface CurvePollParts {
  /** Requests the curves of these processes; those without a history are left out. */
  readonly ask: (names: readonly string[]) => Promise<ReadonlyMap<string, CurveValues>>;
  readonly onAnswer: (curves: ReadonlyMap<string, CurveValues>) => void;
  readonly setTimeout: (run: () => void, milliseconds: number) => unknown;
  readonly clearTimeout: (timer: unknown) => void;
}

/** Requests the curves of all rows in view at once, again and again while there are some. One request is pending at a time. */
export class CurvePoll {
  readonly #parts: CurvePollParts;
  /** Number of rows that show a process. */
  readonly #rows = new Map<string, number>();
  #curves = new Map<string, CurveValues>();
  /** Processes that an answer was about, with or without a curve. */
  readonly #known = new Set<string>();
  #isOn = false;
  #isAsking = false;
  #timer: unknown = null;
  #due = 0;

  constructor(parts: CurvePollParts) {
    this.#parts = parts;
  }

  /** A row shows a process, until the returned function is called. */
  show(name: string): () => void {
    this.#rows.set(name, (this.#rows.get(name) ?? 0) + 1);
    if (!this.#known.has(name)) this.#schedule(CURVES_SOON_MS);
    return () => {
      const count = (this.#rows.get(name) ?? 1) - 1;
      if (count === 0) this.#rows.delete(name);
      else this.#rows.set(name, count);
      if (this.#rows.size === 0) this.#stop();
    };
  }

  /** Whether the page is visible and connected. */
  switch(isOn: boolean): void {
    if (isOn === this.#isOn) return;
    this.#isOn = isOn;
    if (isOn) this.#schedule(CURVES_SOON_MS);
    else this.#stop();
  }

  #schedule(milliseconds: number): void {
    if (!this.#isOn || this.#isAsking || this.#rows.size === 0) return;
    if (this.#timer !== null && this.#due <= milliseconds) return;
    this.#stop();
    this.#due = milliseconds;
    this.#timer = this.#parts.setTimeout(() => {
      this.#timer = null;
      void this.#ask();
    }, milliseconds);
  }

  #stop(): void {
    if (this.#timer !== null) this.#parts.clearTimeout(this.#timer);
    this.#timer = null;
  }

  async #ask(): Promise<void> {
    if (!this.#isOn || this.#rows.size === 0) return;
    const { ask, onAnswer } = this.#parts;
    const names = [...this.#rows.keys()].slice(0, MAX_NAMES);
    this.#isAsking = true;
    try {
      const answer = await ask(names);
      for (const name of names) this.#known.add(name);
      this.#curves = new Map([...this.#curves, ...answer]);
      this.#forget();
      onAnswer(this.#curves);
    } catch {
      // The next request may be answered; until then the curves stay as they are.
    } finally {
      this.#isAsking = false;
    }
    const isNew = [...this.#rows.keys()].slice(0, MAX_NAMES).some((name) => !names.includes(name) && !this.#known.has(name));
    this.#schedule(isNew ? CURVES_SOON_MS : CURVES_EVERY_MS);
  }

  #forget(): void {
    for (const name of this.#known) {
      if (this.#known.size <= MAX_KEPT) return;
      if (this.#rows.has(name)) continue;
      this.#known.delete(name);
      this.#curves.delete(name);
    }
  }
}
