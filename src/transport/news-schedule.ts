/**
 * Events are sent at once up to this time in a row, ms, and then at intervals. The starts of 1,000 processes make thousands of events in as many
 * turns: without this, a tenth of the manager's processor time for them was the write of each turn. A hundred restarts one after the other make
 * eight turns each, and are sent at once. If connections take several turns, the time is shorter in proportion: 1,000 pages must not fall behind first.
 */
const MAX_IN_A_ROW_MS = 1_000;
/** Minimum interval, ms: the events of a second are sent at once in 200 turns at most. */
const INTERVAL_MS = 5;
/**
 * Maximum number of connections that are sent their events in one turn. A write takes 10 to 20 µs, so that events of any number of connections take at
 * most half of a core, and 1,000 pages are 40 ms behind; no page waits for the writes to all others (docs/decisions/0135).
 */
const MAX_TOGETHER = 125;

/** A connection with events to send. */
export interface NewsReader {
  sendEvents(): void;
}

/** Decides when events are sent. Connections are sent theirs in the same turn as others, so that they can share what is written. */
export class NewsSchedule {
  /** The longest waiting are first. */
  readonly #waiting = new Set<NewsReader>();
  /** Monotonic time at which the next events would be due at an even rate. */
  #due = Number.NEGATIVE_INFINITY;
  /** Ends the wait for the next turn; null: there is none. */
  #cancel: (() => void) | null = null;

  add(reader: NewsReader): void {
    this.#waiting.add(reader);
    if (this.#cancel !== null) return;
    const wait = this.#due - performance.now();
    if (wait > 0) this.#sendAfter(wait);
    else this.#sendInThisTurn();
  }

  /** Called when a connection has sent its events for another reason, or has closed. */
  remove(reader: NewsReader): void {
    if (this.#waiting.delete(reader) && this.#waiting.size === 0) this.#end();
  }

  #send(): void {
    this.#cancel = null;
    if (this.#waiting.size === 0) return;
    const turns = Math.ceil(this.#waiting.size / MAX_TOGETHER);
    this.#due = Math.max(this.#due, performance.now() - MAX_IN_A_ROW_MS / turns) + INTERVAL_MS;
    let left = MAX_TOGETHER;
    for (const reader of this.#waiting) {
      if (left-- === 0) break;
      this.#waiting.delete(reader);
      reader.sendEvents();
    }
    if (this.#waiting.size === 0) this.#end();
    else if (this.#cancel === null) this.#sendNext();
  }

  /** Other work of the event loop comes between two turns. */
  #sendNext(): void {
    const wait = this.#due - performance.now();
    if (wait > 0) this.#sendAfter(wait);
    else {
      const immediate = setImmediate(() => this.#send());
      this.#cancel = () => clearImmediate(immediate);
    }
  }

  #sendAfter(milliseconds: number): void {
    const timer = setTimeout(() => this.#send(), milliseconds);
    this.#cancel = () => clearTimeout(timer);
  }

  #sendInThisTurn(): void {
    let isCancelled = false;
    queueMicrotask(() => {
      if (!isCancelled) this.#send();
    });
    this.#cancel = () => {
      isCancelled = true;
    };
  }

  #end(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}
