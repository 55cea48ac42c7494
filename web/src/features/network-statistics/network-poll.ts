/** Pause after a failed measurement, ms. */
export const RETRY_MS = 2_000;

export interface NetworkPollParts<T> {
  /** Requests a measurement of a number of seconds. */
  readonly ask: (seconds: number) => Promise<T>;
  readonly onAnswer: (answer: T) => void;
  readonly fail: (error: unknown) => void;
  /** Time of a monotonic clock, ms. */
  readonly now: () => number;
  readonly setTimeout: (run: () => void, milliseconds: number) => unknown;
  readonly clearTimeout: (timer: unknown) => void;
}

/**
 * Measures repeatedly while a view shows the traffic. One measurement follows the other, so that the manager's samples are shared; only one is
 * pending at a time.
 */
export class NetworkPoll<T> {
  readonly #parts: NetworkPollParts<T>;
  #seconds = 0;
  #isMeasuring = false;
  #timer: unknown = null;

  constructor(parts: NetworkPollParts<T>) {
    this.#parts = parts;
  }

  /** `seconds`: length of a measurement; 0: no measurement is needed. */
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
    const { ask, onAnswer, fail, now, setTimeout } = this.#parts;
    const begin = now();
    ask(seconds)
      .then(
        (answer) => {
          onAnswer(answer);
          // If the manager answers early, the next request still waits for the full interval.
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
