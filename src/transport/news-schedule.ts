/**
 * Events are sent at once up to this time in a row, ms, and then at intervals. The starts of 1,000 processes make thousands of events in as many
 * turns: without this, a tenth of the manager's processor time for them was the write of each turn. A hundred restarts one after the other make
 * eight turns each, and are sent at once. With longer intervals the time is shorter in proportion: 1,000 pages must not fall behind first.
 */
const MAX_IN_A_ROW_MS = 1_000;
/** Minimum interval, ms: the events of a second are sent at once in 200 turns at most. */
const MIN_INTERVAL_MS = 5;
/**
 * Interval for each connection that has events, ms. A write takes 10 µs, so that events of any number of connections take at most a quarter of a
 * core, and 1,000 pages are 40 ms behind (docs/decisions/0128-events-of-many-pages.md).
 */
const INTERVAL_OF_CONNECTION_MS = 0.04;

/** A connection with events to send. */
export interface NewsReader {
  flush(): void;
}

/** Decides when events are sent. All connections are sent theirs in the same turn, so that they can share what is written. */
export class NewsSchedule {
  #waiting = new Set<NewsReader>();
  /** Monotonic time at which the next events would be due at an even rate. */
  #due = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;
  #isThisTurn = false;

  add(reader: NewsReader): void {
    this.#waiting.add(reader);
    if (this.#isThisTurn || this.#timer !== null) return;
    const wait = this.#due - performance.now();
    if (wait > 0) {
      this.#timer = setTimeout(() => this.#send(), wait);
      return;
    }
    this.#isThisTurn = true;
    queueMicrotask(() => {
      this.#isThisTurn = false;
      this.#send();
    });
  }

  /** Called when a connection has sent its events for another reason, or has closed. */
  remove(reader: NewsReader): void {
    if (this.#waiting.delete(reader) && this.#waiting.size === 0) this.#endTimer();
  }

  #send(): void {
    this.#endTimer();
    if (this.#waiting.size === 0) return;
    const readers = this.#waiting;
    this.#waiting = new Set();
    const interval = Math.max(MIN_INTERVAL_MS, readers.size * INTERVAL_OF_CONNECTION_MS);
    const inARow = (MAX_IN_A_ROW_MS * MIN_INTERVAL_MS) / interval;
    this.#due = Math.max(this.#due, performance.now() - inARow) + interval;
    for (const reader of readers) reader.flush();
  }

  #endTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
