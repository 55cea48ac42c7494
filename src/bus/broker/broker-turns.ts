import { TurnShare } from "../../base/timing/turns.ts";

/**
 * Maximum time that the bus may work in one turn of the event loop before HTTP, timers and other work run, milliseconds
 * (docs/design/runtime-invariants.md, "Bus": nothing is delayed by more than 20 ms). Shared by broker and transports of this thread.
 */
export const busTurn = new TurnShare({ ms: 2 });

/** Number of operations or deliveries between two checks of the clock. */
const MAX_UNITS_PER_CHECK = 64;
/** Cost of a system call in units of a delivery; with many bytes it is up to MAX_UNITS_PER_CHECK. */
const UNITS_PER_FLUSH = 8;

/** Limits how long a worker may continue. */
export class Budget {
  #left = MAX_UNITS_PER_CHECK;
  #spent = false;

  /** Counts `units` of work; returns true when the worker has to let others continue. */
  spend(units: number): boolean {
    this.#left -= units;
    if (this.#left > 0) return this.#spent;
    this.#left = MAX_UNITS_PER_CHECK;
    this.#spent = busTurn.isOver();
    return this.#spent;
  }
}

/** Neither of its functions may throw: the caller works for all clients. */
export interface Worker {
  /** Whether much work waits here: workers with little go first. */
  readonly isHeavy: boolean;
  /** Does a share of its work; returns true when nothing is left. */
  work(budget: Budget): boolean;
  /** Sends the collected output. */
  flush(): void;
}

type Which = "light" | "heavy";

/**
 * Runs workers that have to work or flush: in turns, a few milliseconds per turn of the event loop, so that a flood on the bus delays
 * nothing else. Workers with little to do go first, so that a flood does not delay them. Short work is done at once, within the call that
 * caused it.
 */
export class BrokerTurns {
  readonly #busy = new Set<Worker>();
  readonly #dirty = new Set<Worker>();
  #running = false;
  #waiting = false;
  /** Whether a run is scheduled for the end of this turn. */
  #due = false;
  /** Number of messages that all workers have delivered so far, and other work in units of a delivery: measures the cost of an operation. */
  deliveries = 0;

  /** Called when `worker` has something to do. */
  add(worker: Worker): void {
    this.#busy.add(worker);
    if (!this.#waiting) this.#run();
  }

  /** Flushes `worker` in this turn if its time allows. */
  flushSoon(worker: Worker): void {
    this.#dirty.add(worker);
    if (this.#running || this.#waiting || this.#due) return;
    this.#due = true;
    // The run starts after the current code, so that all its output is one write.
    queueMicrotask(() => {
      this.#due = false;
      if (!this.#waiting) this.#run();
    });
  }

  /** Flushes `worker`, which can send again, at once if this turn has time left. */
  flushNow(worker: Worker): void {
    if (busTurn.isOver()) this.flushSoon(worker);
    else worker.flush();
  }

  remove(worker: Worker): void {
    this.#busy.delete(worker);
    this.#dirty.delete(worker);
  }

  #run(): void {
    if (this.#running) return;
    this.#running = true;
    try {
      // Output goes before input, so that flushing to many subscribers slows down reading.
      if (this.#flush("light")) this.#work("light");
      this.#flush("light");
      // Each turn does some of both: light workers may use up all of its time, again and again.
      this.#flush("heavy");
      this.#work("heavy");
      this.#flush("light");
      this.#flush("heavy");
    } finally {
      this.#running = false;
    }
    if (this.#busy.size > 0 || this.#dirty.size > 0) this.#wait();
  }

  /** Runs at least one worker, and others while the turn lasts. */
  #work(which: Which): void {
    for (const worker of this.#busy) {
      if (worker.isHeavy !== (which === "heavy")) continue;
      this.#busy.delete(worker);
      // A worker with more work goes to the end of the queue: every client gets its turn.
      if (!worker.work(new Budget())) this.#busy.add(worker);
      if (busTurn.isOver()) return;
    }
  }

  /** Flushes at least one worker, and others while the turn lasts. Returns false if the turn is over and some are left. */
  #flush(which: Which): boolean {
    const budget = new Budget();
    for (const worker of this.#dirty) {
      const { isHeavy } = worker;
      if (isHeavy !== (which === "heavy")) continue;
      this.#dirty.delete(worker);
      worker.flush();
      if (budget.spend(isHeavy ? MAX_UNITS_PER_CHECK : UNITS_PER_FLUSH)) return this.#dirty.size === 0;
    }
    return true;
  }

  #wait(): void {
    this.#waiting = true;
    busTurn.inNextTurn(() => {
      this.#waiting = false;
      this.#run();
    });
  }
}
