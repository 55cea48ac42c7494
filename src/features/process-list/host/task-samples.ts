/** CPU time of tasks at one moment. */
export interface CpuSample {
  /** Milliseconds of the host's monotonic clock. */
  at: number;
  /** Milliseconds of `performance.now()`, which times the reading of each task. */
  readAt: number;
  /** Samples by task id. */
  tasks: Map<number, TaskSample>;
}

export interface TaskSample {
  /** Clock ticks of CPU time so far. */
  ticks: number;
  readAt: number;
  /** Distinguishes a task from a later one with the same id. */
  startTime: string;
}

/** Minimum interval of a CPU measurement, milliseconds: shorter ones would show the kernel's ticks of 10 ms rather than the load. */
export const MIN_INTERVAL_MS = 500;
/** Interval used for a first request, milliseconds. */
export const FIRST_INTERVAL_MS = 1_000;
/** Number of samples kept for each requester: if it polls faster than MIN_INTERVAL_MS, the oldest sample is old enough. */
const MAX_SAMPLES = 3;
const SPACING_MS = MIN_INTERVAL_MS / 2;
/** Time after which a silent requester counts as new, milliseconds. */
const RETENTION_MS = 600_000;
/** Maximum number of requesters, and of tasks in all samples together. */
const MAX_ASKERS = 64;
const MAX_TASKS = 1_000_000;

/** The last samples of each requester; its next answer shows the load since then. */
export class CpuSamples {
  /** The most recent requester is last. */
  readonly #samples = new Map<string, CpuSample[]>();

  /** The newest sample that is old enough to compare with. */
  base(asker: string, now: number): CpuSample | undefined {
    return this.#samples.get(asker)?.findLast(({ at }) => now - at >= MIN_INTERVAL_MS && now - at <= RETENTION_MS);
  }

  keep(asker: string, sample: CpuSample): void {
    const known = this.#samples.get(asker) ?? [];
    const newest = known.at(-1);
    if (newest === undefined || sample.at - newest.at >= SPACING_MS) known.push(sample);
    this.#samples.delete(asker);
    this.#samples.set(asker, known.slice(-MAX_SAMPLES));
    this.#forget(sample.at);
  }

  #forget(now: number): void {
    let tasks = 0;
    for (const [asker, samples] of [...this.#samples].reverse()) {
      for (const sample of samples) tasks += sample.tasks.size;
      const isOld = now - (samples.at(-1)?.at ?? 0) > RETENTION_MS;
      if (isOld || tasks > MAX_TASKS) this.#samples.delete(asker);
    }
    for (const asker of this.#samples.keys()) if (this.#samples.size > MAX_ASKERS) this.#samples.delete(asker);
  }
}
