import type { Figures } from "../series.ts";
import type { Watches } from "./watches.ts";

/** A subscriber: the measurements that it receives, and the processes that it wants to be measured each second instead of every 10 s. */
interface Subscription {
  eachSecond: ReadonlySet<string>;
  readonly measured: (name: string, figures: Figures) => void;
}

/** Passes each measurement to the features of the host that subscribed, and knows which processes are measured each second. */
export class Measurements {
  readonly #watches: Pick<Watches, "names">;
  readonly #changed: () => void;
  readonly #subscriptions: Subscription[] = [];
  readonly #machineSubscriptions: ((figures: Figures) => void)[] = [];
  #eachSecond: ReadonlySet<string> = new Set();

  constructor(watches: Pick<Watches, "names">, changed: () => void) {
    this.#watches = watches;
    this.#changed = changed;
  }

  /** Processes to be measured each second: for clients of the manager, or for a subscriber. */
  get eachSecond(): ReadonlySet<string> {
    return this.#eachSecond;
  }

  /** `measured` gets the figures of each process that runs, in the order of PROCESS_SERIES. The returned function replaces the names. */
  subscribe(measured: Subscription["measured"]): (eachSecond: ReadonlySet<string>) => void {
    const subscription: Subscription = { eachSecond: new Set(), measured };
    this.#subscriptions.push(subscription);
    return (eachSecond) => {
      subscription.eachSecond = eachSecond;
      this.watchChanged();
    };
  }

  /** Called when what the manager watches has changed. */
  watchChanged(): void {
    const names = new Set(this.#watches.names);
    for (const { eachSecond } of this.#subscriptions) for (const name of eachSecond) names.add(name);
    this.#eachSecond = names;
    this.#changed();
  }

  /** `measured` gets the figures of the whole machine, in the order of HOST_SERIES and its CPUs, every 10 s. */
  subscribeMachine(measured: (figures: Figures) => void): void {
    this.#machineSubscriptions.push(measured);
  }

  publishMachine(figures: Figures): void {
    for (const measured of this.#machineSubscriptions) measured(figures);
  }

  publish(name: string, figures: Figures): void {
    for (const { measured } of this.#subscriptions) measured(name, figures);
  }
}
