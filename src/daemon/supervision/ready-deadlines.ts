import type { Clock } from "../../base/timing/clock.ts";
import type { RunReport } from "../../contract/run.ts";

interface Waiting {
  readonly spec: { readonly name: string };
  readonly report: RunReport;
}

/** Timers of runs that have to become ready in time, one for each process. */
export class ReadyDeadlines<R extends Waiting> {
  readonly #clock: Clock;
  readonly #late: (run: R, timeoutMs: number) => void;
  readonly #timers = new Map<string, unknown>();

  /** `late` is called with a run that lives, was not asked to stop, and is not ready `timeoutMs` after its start. */
  constructor(clock: Clock, late: (run: R, timeoutMs: number) => void) {
    this.#clock = clock;
    this.#late = late;
  }

  /** Waits for a run, instead of an earlier one of its process. */
  set(run: R, timeoutMs: number): void {
    const { name } = run.spec;
    this.#clock.clearTimeout(this.#timers.get(name));
    const check = () => {
      this.#timers.delete(name);
      const { ready, exit, stopping } = run.report;
      if (!ready && exit === null && !stopping) this.#late(run, timeoutMs);
    };
    this.#timers.set(name, this.#clock.setTimeout(check, Math.max(0, timeoutMs - run.report.age_ms)));
  }

  clear(): void {
    for (const timer of this.#timers.values()) this.#clock.clearTimeout(timer);
    this.#timers.clear();
  }
}
