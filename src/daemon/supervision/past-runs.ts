import type { RunReport } from "../../contract/run.ts";

/** Maximum number of runs kept of each process; the manager's history is as long. */
const MAX_RUNS = 20;
/** Maximum number of runs kept of all processes: about 300 bytes each. */
const MAX_ALL_RUNS = 10_000;

/** The ends of runs that a host replaced without a manager, for the history of the next one. */
export class PastRuns {
  /** Runs of each process, oldest first; the process that was added to last is at the end. */
  readonly #runs = new Map<string, RunReport[]>();
  #count = 0;

  add(run: RunReport): void {
    const runs = this.#runs.get(run.name) ?? [];
    this.#runs.delete(run.name);
    this.#runs.set(run.name, runs);
    // The next manager reads the newest memo from the run table.
    runs.push({ ...run, memo: "" });
    this.#count++;
    if (runs.length > MAX_RUNS) this.#drop(run.name, runs);
    while (this.#count > MAX_ALL_RUNS) {
      const [oldest] = this.#runs;
      if (oldest === undefined) return;
      this.#drop(...oldest);
    }
  }

  clear(): void {
    this.#runs.clear();
    this.#count = 0;
  }

  all(): RunReport[] {
    return [...this.#runs.values()].flat();
  }

  #drop(name: string, runs: RunReport[]): void {
    runs.shift();
    this.#count--;
    if (runs.length === 0) this.#runs.delete(name);
  }
}
