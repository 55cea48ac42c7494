import type { Clock } from "../../../../base/timing/clock.ts";
import type { SlotStore } from "./slot-store.ts";

/** Up to so many files are written with each slot. More would take six times the work that way. */
const MAX_PROMPT_FILES = 128;
/** More wait at most so long after their first slot, milliseconds: a killed daemon loses a minute, with the 10 s of that slot. */
const MAX_WAIT_MS = 50_000;
/** They wait so long at least, milliseconds: while many processes start, the time is theirs. */
const MIN_WAIT_MS = 5_000;

/** Stores with slots to be written, in the order in which they began to wait. */
export class WaitingStores {
  readonly #clock: Pick<Clock, "monotonic">;
  /** Since when each of them waits, monotonic milliseconds. */
  readonly #stores = new Map<SlotStore, number>();
  /** The last call of `due`. */
  #at: number;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
    this.#at = clock.monotonic();
  }

  get all(): SlotStore[] {
    return [...this.#stores.keys()];
  }

  add(store: SlotStore): void {
    if (!this.#stores.has(store)) this.#stores.set(store, this.#clock.monotonic());
  }

  delete(store: SlotStore): void {
    this.#stores.delete(store);
  }

  /** Those to be written now: all, or if they are many as few as a steady pace needs that lets none wait too long. */
  due(): SlotStore[] {
    const now = this.#clock.monotonic();
    const elapsed = Math.max(1, now - this.#at);
    this.#at = now;
    if (this.#stores.size <= MAX_PROMPT_FILES) return this.all;
    const due: SlotStore[] = [];
    let ahead = 0;
    let count = 0;
    for (const since of this.#stores.values()) {
      ahead++;
      // Until this one is due, there are so many calls as this one, which is the first of them.
      const calls = Math.max(1, 1 + (since + MAX_WAIT_MS - now) / elapsed);
      count = Math.max(count, Math.ceil(ahead / calls));
    }
    for (const [store, since] of this.#stores) {
      if (due.length === count || now - since < MIN_WAIT_MS) break;
      due.push(store);
    }
    return due;
  }
}
