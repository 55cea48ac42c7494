import { type Clock, systemClock } from "./clock.ts";

/** The limit of work in one turn of the event loop: milliseconds, or units of work such as processes. */
export interface TurnLimit {
  readonly ms?: number;
  readonly units?: number;
  readonly clock?: Pick<Clock, "monotonic">;
}

/** Number of shares whose next turn is due. */
let due = 0;

/** Whether work waits for the next turn of the event loop: a simulated clock must not advance before it is done. */
export function isWorkDue(): boolean {
  return due > 0;
}

/** A share of each turn of the event loop. Work beyond it waits for a later turn, so that everything else runs in between. Needs Node. */
export class TurnShare {
  readonly #ms: number;
  readonly #units: number;
  readonly #clock: Pick<Clock, "monotonic">;
  /** Monotonic time at which the share of this turn began; null: it has not. */
  #began: number | null = null;
  #used = 0;
  #isTurnDue = false;
  #callbacks: (() => void)[] = [];
  readonly #passing: (() => void)[] = [];

  constructor({ ms = Number.POSITIVE_INFINITY, units = Number.POSITIVE_INFINITY, clock = systemClock }: TurnLimit) {
    this.#ms = ms;
    this.#units = units;
    this.#clock = clock;
  }

  /** Whether the share of this turn is used up. The first call in a turn starts the measurement. */
  isOver(): boolean {
    const now = this.#clock.monotonic();
    if (this.#began === null) {
      this.#began = now;
      this.#turnLater();
    }
    return now - this.#began > this.#ms || this.#used >= this.#units;
  }

  use(units: number): void {
    this.#used += units;
  }

  /** Starts a new share in the same turn. */
  renew(): void {
    this.#began = this.#clock.monotonic();
    this.#used = 0;
  }

  /** Calls back in the next turn. */
  inNextTurn(callback: () => void): void {
    this.#callbacks.push(callback);
    this.#turnLater();
  }

  /** Resolves in the first turn that has a unit left, in order of arrival. */
  pass(): Promise<void> {
    if (this.isOver()) return new Promise((resolve) => this.#passing.push(resolve));
    this.use(1);
    return Promise.resolve();
  }

  #turnLater(): void {
    if (this.#isTurnDue) return;
    this.#isTurnDue = true;
    due += 1;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isTurnDue = false;
    due -= 1;
    this.#began = null;
    const passed = this.#passing.splice(0, this.#units);
    this.#used = passed.length;
    if (passed.length > 0) this.#turnLater();
    const callbacks = this.#callbacks;
    this.#callbacks = [];
    for (const callback of callbacks) callback();
    for (const resolve of passed) resolve();
  }
}

/** Long work in steps. Each step yields the number of units that it used; 1 if it yields nothing. */
export type Steps = Generator<number | undefined, void>;

interface Job {
  readonly steps: Steps;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Runs jobs in order of arrival, a share of a turn at a time. A short job runs within the call; a long one continues in later turns, and
 * later jobs wait for its end: each sees the results of those before it.
 */
export class SlicedWork {
  readonly #share: TurnShare;
  readonly #jobs: Job[] = [];
  #isTurnDue = false;

  constructor(limit: TurnLimit) {
    this.#share = new TurnShare(limit);
  }

  /** Returns when the job is done, or a promise of that. Throws or rejects if one of its steps throws. */
  run(steps: Steps): void | Promise<void> {
    if (this.#jobs.length === 0 && this.#isDone(steps)) return;
    return new Promise((done, failed) => {
      this.#jobs.push({ steps, done, failed });
      this.#turnLater();
    });
  }

  /** Cancels the rest of every job: each rejects with `reason`. */
  refuse(reason: Error): void {
    for (const { failed } of this.#jobs.splice(0)) failed(reason);
  }

  /** Drops the rest of every job: each counts as done. */
  close(): void {
    for (const { done } of this.#jobs.splice(0)) done();
  }

  #turnLater(): void {
    if (this.#isTurnDue || this.#jobs.length === 0) return;
    this.#isTurnDue = true;
    this.#share.inNextTurn(() => this.#turn());
  }

  #turn(): void {
    this.#isTurnDue = false;
    const [first] = this.#jobs;
    if (!first) return;
    try {
      if (this.#isDone(first.steps)) this.#end(first, first.done);
    } catch (error) {
      this.#end(first, () => first.failed(error));
    }
    this.#turnLater();
  }

  #end(ended: Job, report: () => void): void {
    // A step may have cancelled all jobs, including this one.
    if (this.#jobs[0] === ended) this.#jobs.shift();
    report();
  }

  /** Does one share of a job; true once nothing is left. */
  #isDone(steps: Steps): boolean {
    this.#share.renew();
    do {
      const step = steps.next();
      if (step.done) return true;
      this.#share.use(step.value ?? 1);
    } while (!this.#share.isOver());
    return false;
  }
}
