import { inNextTurn, turnIsOver } from "./event-loop-turn.ts";

/** Operations or deliveries between two looks at the clock. */
const UNITS_PER_LOOK = 64;
/** A system call costs about as much as this many deliveries. */
const UNITS_PER_FLUSH = 8;

const done = Promise.resolve();

/** How long a worker may go on. */
export class Budget {
  #left = UNITS_PER_LOOK;
  #spent = false;

  /** Counts `units` of work; true when it is time to let others work. */
  spend(units: number): boolean {
    this.#left -= units;
    if (this.#left > 0) return this.#spent;
    this.#left = UNITS_PER_LOOK;
    this.#spent = turnIsOver();
    return this.#spent;
  }
}

/** Neither of its functions may throw: it works for all. */
export interface Worker {
  /** Does a share of its work; true when nothing is left. */
  work(budget: Budget): boolean;
  /** Sends what the work brought for it. */
  flush(): void;
}

/**
 * Who has to work and to flush: by turns, a few milliseconds in each turn of the event loop, so that a flood on the bus
 * delays nobody else. What is quick is done at once, within the call that brought it.
 */
export class BrokerTurns {
  readonly #busy = new Set<Worker>();
  readonly #dirty = new Set<Worker>();
  #running = false;
  #waiting = false;
  /** It will run before this turn ends. */
  #due = false;

  /** `worker` has something to do. */
  add(worker: Worker): void {
    this.#busy.add(worker);
    if (!this.#waiting) this.#run();
  }

  /** `worker` has something to flush; done before anybody waits. */
  flushSoon(worker: Worker): void {
    this.#dirty.add(worker);
    if (this.#running || this.#waiting || this.#due) return;
    this.#due = true;
    // At the end of what goes on now, so that all that it says is one write. Not queueMicrotask: that costs more than a promise.
    void done.then(() => {
      this.#due = false;
      if (!this.#waiting) this.#run();
    });
  }

  /** `worker` may send again what it had to keep: at once, as long as there is time in this turn. */
  flushNow(worker: Worker): void {
    if (turnIsOver()) this.flushSoon(worker);
    else worker.flush();
  }

  remove(worker: Worker): void {
    this.#busy.delete(worker);
    this.#dirty.delete(worker);
  }

  #run(): void {
    if (this.#running) return;
    this.#running = true;
    const budget = new Budget();
    // What is ready goes out before more comes in: the flush of many subscribers slows the intake down.
    if (this.#flush(budget)) {
      this.#work(budget);
      this.#flush(budget);
    }
    this.#running = false;
    if (this.#busy.size > 0 || this.#dirty.size > 0) this.#wait();
  }

  #work(budget: Budget): void {
    for (const worker of this.#busy) {
      if (turnIsOver()) return;
      this.#busy.delete(worker);
      // At the end of the queue again if it has more: every client gets its turn.
      if (!worker.work(budget)) this.#busy.add(worker);
    }
  }

  /** True when nothing is left. */
  #flush(budget: Budget): boolean {
    for (const worker of this.#dirty) {
      this.#dirty.delete(worker);
      worker.flush();
      if (budget.spend(UNITS_PER_FLUSH)) return this.#dirty.size === 0;
    }
    return true;
  }

  #wait(): void {
    this.#waiting = true;
    inNextTurn(() => {
      this.#waiting = false;
      this.#run();
    });
  }
}
