/** Pause after a measurement that failed, milliseconds. */
export const RETRY_MS = 2_000;

export interface NetworkPollParts<T> {
  /** Measures for a number of seconds. */
  readonly ask: (seconds: number) => Promise<T>;
  readonly tell: (answer: T) => void;
  readonly fail: (error: unknown) => void;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  readonly setTimeout: (run: () => void, milliseconds: number) => unknown;
  readonly clearTimeout: (timer: unknown) => void;
}

/**
 * Measures again and again while a view shows the traffic. One measurement follows another, so that the manager's samples are shared. One is under
 * way at a time.
 */
export class NetworkPoll<T> {
  readonly #parts: NetworkPollParts<T>;
  #seconds = 0;
  #isMeasuring = false;
  #timer: unknown = null;

  constructor(parts: NetworkPollParts<T>) {
    this.#parts = parts;
  }

  /** `seconds` of a measurement; 0: none is wanted. */
  update(seconds: number): void {
    this.#seconds = seconds;
    if (this.#timer !== null) this.#parts.clearTimeout(this.#timer);
    this.#timer = null;
    this.#next();
  }

  #next(): void {
    const seconds = this.#seconds;
    if (this.#isMeasuring || seconds === 0) return;
    this.#isMeasuring = true;
    const { ask, tell, fail, now, setTimeout } = this.#parts;
    const begin = now();
    ask(seconds)
      .then(
        (answer) => {
          tell(answer);
          // A manager that answers at once is not asked more often.
          return Math.max(0, seconds * 1_000 - (now() - begin));
        },
        (error: unknown) => {
          fail(error);
          return RETRY_MS;
        },
      )
      .then((rest) => {
        this.#isMeasuring = false;
        if (this.#seconds === 0) return;
        this.#timer = setTimeout(() => {
          this.#timer = null;
          this.#next();
        }, rest);
      });
  }
}
