import type { Clock } from "../base/clock.ts";

/** What one turn may spend on it, milliseconds: 1,000 patterns against 10,000 names take seconds. */
const SLICE_MS = 5;

interface Job {
  readonly steps: Iterator<void>;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** Long work in steps that lets everything else run between its slices. One job after another, one slice a turn. */
export class SlicedWork {
  readonly #clock: Clock;
  readonly #jobs: Job[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Short work is done when this returns; otherwise the promise tells when it is. */
  run(steps: Iterator<void>): void | Promise<void> {
    if (this.#jobs.length === 0 && this.#advance(steps)) return;
    return new Promise<void>((done, failed) => {
      this.#jobs.push({ steps, done, failed });
      if (this.#jobs.length === 1) setImmediate(() => this.#slice());
    });
  }

  /** Gives up what is left. */
  close(): void {
    for (const job of this.#jobs.splice(0)) job.done();
  }

  #slice(): void {
    const [job] = this.#jobs;
    if (!job) return;
    try {
      if (this.#advance(job.steps)) this.#end(job.done);
    } catch (error) {
      this.#end(() => job.failed(error));
    }
    if (this.#jobs.length > 0) setImmediate(() => this.#slice());
  }

  #end(report: () => void): void {
    this.#jobs.shift();
    report();
  }

  /** True once all steps are done. */
  #advance(steps: Iterator<void>): boolean {
    const end = this.#clock.monotonic() + SLICE_MS;
    do {
      if (steps.next().done) return true;
    } while (this.#clock.monotonic() < end);
    return false;
  }
}
