import type { Clock } from "../../base/clock.ts";

/** Upserts of one object that only count, milliseconds. */
const COUNT_MS = 500;

interface UpsertThrottleOptions<T> {
  readonly clock: Clock;
  /** As it is now; null: it is gone. */
  readonly read: (name: string) => T | null;
  /** What clients have to know at once; other changes are counters. */
  readonly isUrgent: (before: T, after: T) => boolean;
  readonly upsert: (object: T) => void;
  readonly remove: (name: string) => void;
}

/** Tells what changed of named objects: changes of state at once, counters at most twice a second. */
export class UpsertThrottle<T> {
  readonly #options: UpsertThrottleOptions<T>;
  readonly #told = new Map<string, { object: T; at: number }>();
  readonly #waiting = new Map<string, unknown>();

  constructor(options: UpsertThrottleOptions<T>) {
    this.#options = options;
  }

  /** Objects that clients know. */
  names(): Iterable<string> {
    return this.#told.keys();
  }

  /** The object may have changed. */
  update(name: string): void {
    const { clock, read, isUrgent, upsert, remove } = this.#options;
    const object = read(name);
    const told = this.#told.get(name);
    if (object === null) {
      if (this.#told.delete(name)) remove(name);
      return;
    }
    const now = clock.monotonic();
    if (told !== undefined && !isUrgent(told.object, object) && now - told.at < COUNT_MS) {
      this.updateLater(name);
      return;
    }
    if (told !== undefined && JSON.stringify(told.object) === JSON.stringify(object)) return;
    this.#told.set(name, { object, at: now });
    upsert(object);
  }

  /** For changes that need not be told at once, and are not even looked at before. */
  updateLater(name: string): void {
    if (this.#waiting.has(name)) return;
    const late = () => {
      this.#waiting.delete(name);
      this.update(name);
    };
    this.#waiting.set(name, this.#options.clock.setTimeout(late, COUNT_MS));
  }

  close(): void {
    for (const timer of this.#waiting.values()) this.#options.clock.clearTimeout(timer);
    this.#waiting.clear();
  }
}
