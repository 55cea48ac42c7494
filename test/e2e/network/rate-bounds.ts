/** Rates are over the last full second; a timer may be early by so much. Seconds. */
const WINDOW_S = 0.95;
const TOLERANCE = 0.02;

/** Messages of one topic: when they were published, and when a program of the same host received them. Microseconds of one clock. */
export class Flow {
  readonly #published: ReadonlyMap<number, number>;
  readonly #received: ReadonlyMap<number, number>;

  /** Number, time of the publisher, time of the receiver; one message after the other. */
  constructor(triples: readonly number[]) {
    const at = (offset: number) => new Map(triples.flatMap((number, n) => (n % 3 === 0 ? [[number, triples[n + offset] ?? 0]] : [])));
    [this.#published, this.#received] = [at(1), at(2)];
  }

  /** Whether a second has surely passed between two readings that found these messages to be the newest. */
  spansSecond(first: number, last: number): boolean {
    return this.#seconds(first, last)[0] >= WINDOW_S;
  }

  /**
   * Whether `rate` can be that of the messages from one after `earliest` to the one with the number `last`. A broker read its counts at an unknown
   * moment: after message `last` was published, and before the next one was received. So the answer does not depend on speed: on a machine
   * that stood still for a second, the rate is 0.
   */
  hasRate(rate: number, earliest: number, last: number): boolean {
    for (let first = last; first >= earliest; first--) {
      const [least, most] = this.#seconds(first, last);
      if (most < WINDOW_S) continue;
      const count = last - first;
      if (rate >= (1 - TOLERANCE) * (count / most) && rate <= (1 + TOLERANCE) * (count / Math.max(least, WINDOW_S))) return true;
    }
    return false;
  }

  /** Least and most time that can have passed between two readings that found these messages to be the newest. */
  #seconds(first: number, last: number): [least: number, most: number] {
    const least = (this.#published.get(last) ?? Number.NEGATIVE_INFINITY) - (this.#received.get(first + 1) ?? Number.POSITIVE_INFINITY);
    const most = (this.#received.get(last + 1) ?? Number.POSITIVE_INFINITY) - (this.#published.get(first) ?? 0);
    return [least / 1e6, most / 1e6];
  }
}
