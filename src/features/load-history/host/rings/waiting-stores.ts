import type { Clock } from "../../../../base/timing/clock.ts";
import type { SlotStore } from "./slot-store.ts";

/** Up to so many files are written with each slot. More would take six times the work that way. */
const MAX_PROMPT_FILES = 128;
/** Time in which each of more files is written once, milliseconds: with the wait before, at most a minute of slots is not written. */
const ROUND_MS = 50_000;
/** More files wait so long at least, milliseconds: processes that have just started leave the time to those that still start. */
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

  /** Those to be written now: all, or if they are many the share of a round for the time since the last call. */
  due(): SlotStore[] {
    const now = this.#clock.monotonic();
    const share = Math.min(1, (now - this.#at) / ROUND_MS);
    this.#at = now;
    if (this.#stores.size <= MAX_PROMPT_FILES) return this.all;
    const due: SlotStore[] = [];
    const count = Math.ceil(share * this.#stores.size);
    for (const [store, since] of this.#stores) {
      if (due.length === count || now - since < MIN_WAIT_MS) break;
      due.push(store);
    }
    return due;
  }
}
