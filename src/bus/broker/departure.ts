import type { ClientSubscription } from "./broker-subscriber.ts";
import type { BrokerTurns, Budget, Worker } from "./broker-turns.ts";

/** Subscriptions of a client that are removed at once; of more, the rest is removed in later turns. */
const REMOVED_AT_ONCE = 512;

/** The end of a client: its subscriptions get no further message, and are removed in slices. */
export class Departure implements Worker {
  readonly isHeavy = true;
  readonly #turns: BrokerTurns;
  #left: Iterator<ClientSubscription> | null = null;
  #remove: (subscription: ClientSubscription) => void = () => {};
  #isDone = false;
  #followers: (() => void)[] = [];

  constructor(turns: BrokerTurns) {
    this.#turns = turns;
  }

  begin(subscriptions: ReadonlyMap<string, ClientSubscription>, remove: (subscription: ClientSubscription) => void): void {
    for (const subscription of subscriptions.values()) subscription.isEnded = true;
    this.#left = subscriptions.values();
    this.#remove = remove;
    if (!this.#goOn(REMOVED_AT_ONCE, () => false)) this.#turns.add(this);
  }

  /** Calls `follower` once all of them are removed. */
  onDone(follower: () => void): void {
    if (this.#isDone) follower();
    else this.#followers.push(follower);
  }

  work(budget: Budget): boolean {
    return this.#goOn(Number.POSITIVE_INFINITY, () => budget.spend(1));
  }

  flush(): void {}

  /** True when none is left. */
  #goOn(count: number, isOver: () => boolean): boolean {
    for (let removed = 0; removed < count; removed++) {
      const next = this.#left?.next();
      if (next === undefined || next.done) {
        this.#isDone = true;
        for (const follower of this.#followers.splice(0)) follower();
        return true;
      }
      this.#remove(next.value);
      if (isOver()) return false;
    }
    return false;
  }
}
