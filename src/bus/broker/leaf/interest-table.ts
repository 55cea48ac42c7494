import type { Subscribed } from "../subscriptions/bucket.ts";

/** Number of subscriptions of one broker to a subject, or in one of its queue groups. */
export interface Interest {
  readonly subject: string;
  readonly queue: string | null;
  count: number;
}

/** A link, which announces the interest of this side to the other side. */
export interface InterestListener {
  /** Called when `count` of this entry has changed; 0: it was removed. */
  interestChanged(key: string, interest: Interest): void;
}

/** The interest of one broker's subscribers, each subject and queue group once. */
export class InterestTable {
  readonly #entries = new Map<string, Interest>();
  readonly #listeners = new Set<InterestListener>();

  /** Subscribes to changes. Returns a function that unsubscribes. */
  listen(listener: InterestListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Counts a subscription that was added (1) or removed (-1). */
  readonly change = ({ subject, queue }: Subscribed, delta: 1 | -1): void => {
    const key = interestKey(subject, queue);
    const interest = this.#entries.get(key) ?? { subject, queue, count: 0 };
    interest.count += delta;
    if (interest.count > 0) this.#entries.set(key, interest);
    else this.#entries.delete(key);
    for (const listener of this.#listeners) listener.interestChanged(key, interest);
  };

  get(key: string): Interest | undefined {
    return this.#entries.get(key);
  }

  entries(): IterableIterator<[string, Interest]> {
    return this.#entries.entries();
  }
}

/** Key of an entry. Neither part contains a blank. */
export function interestKey(subject: string, queue: string | null): string {
  return queue === null ? subject : `${subject} ${queue}`;
}
