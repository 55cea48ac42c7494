import type { ClientSubscription } from "./broker-subscriber.ts";
import type { BrokerTurns, Budget, Worker } from "./broker-turns.ts";

/** Maximum number of subscriptions of a client that are removed at once; the rest is removed in later turns. */
const MAX_REMOVED_AT_ONCE = 512;

type Remove = (subscription: ClientSubscription) => void;

/** The subscriptions of clients that are gone: they get no further message, and are removed in slices. */
export class Departures {
  readonly #turns: BrokerTurns;
  readonly #pending = new Set<Departure>();

  constructor(turns: BrokerTurns) {
    this.#turns = turns;
  }

  begin(subscriptions: Iterable<ClientSubscription>, remove: Remove): void {
    const all = [...subscriptions];
    for (const subscription of all) subscription.isEnded = true;
    // Members of queue groups are removed first: other brokers choose by their number.
    all.sort((a, b) => Number(a.queue === null) - Number(b.queue === null));
    const departure = new Departure(all, remove);
    for (let removed = 0; removed < MAX_REMOVED_AT_ONCE; removed++) if (!departure.step()) return;
    this.#pending.add(departure);
    departure.onDone = () => this.#pending.delete(departure);
    this.#turns.add(departure);
  }

  /** Removes the rest when the broker is closed. */
  close(): void {
    for (const departure of this.#pending) {
      this.#turns.remove(departure);
      while (departure.step());
    }
    this.#pending.clear();
  }
}

class Departure implements Worker {
  readonly isHeavy = true;
  onDone = () => {};
  readonly #subscriptions: readonly ClientSubscription[];
  readonly #remove: Remove;
  #next = 0;

  constructor(subscriptions: readonly ClientSubscription[], remove: Remove) {
    this.#subscriptions = subscriptions;
    this.#remove = remove;
  }

  /** Removes one subscription; false: none is left. */
  step(): boolean {
    const next = this.#subscriptions[this.#next++];
    if (next === undefined) return false;
    this.#remove(next);
    return true;
  }

  work(budget: Budget): boolean {
    while (this.step()) if (budget.spend(1)) return false;
    this.onDone();
    return true;
  }

  flush(): void {}
}
