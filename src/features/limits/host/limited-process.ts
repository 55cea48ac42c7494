import type { KernelTimes } from "../../../daemon/handover/kernel-times.ts";
import type { HostReached, Limit } from "../contract.ts";
import type { WatchState } from "./limits-state.ts";

/** The present moment by both clocks, milliseconds. */
export interface Moment {
  readonly time: number;
  readonly monotonic: number;
}

/** Figures of a process by what a limit may be on; null: not known. */
export type Figures = Readonly<Record<Limit["measure"], number | null>>;

/** A run, as far as limits matter. */
export interface LimitedRun {
  readonly runId: string;
  /** Whether figures count: it has neither ended nor is it being stopped. */
  readonly isUp: boolean;
}

/** The state of one limit. */
interface Watch {
  /** When the figure was first over the limit without a break; null: it is not. */
  since: number | null;
  reached: HostReached | null;
  /** It was acknowledged in this run: it does not count until the figure has been below the limit. */
  isKnown: boolean;
}

/** A process with limits: which of its figures are over them for how long. */
export class LimitedProcess {
  readonly limits: readonly Limit[];
  readonly #watches: Watch[];
  #run: LimitedRun | null = null;

  constructor(limits: readonly Limit[]) {
    this.limits = limits;
    this.#watches = limits.map(() => ({ since: null, reached: null, isKnown: false }));
  }

  get reached(): HostReached[] {
    return this.#watches.flatMap(({ reached }) => reached ?? []);
  }

  /** Keeps what was measured for limits that are the same. */
  continue(earlier: LimitedProcess): void {
    this.#run = earlier.#run;
    for (const [index, limit] of this.limits.entries()) {
      const same = earlier.limits.findIndex((each) => isSame(each, limit));
      const known = earlier.#watches[same];
      if (known !== undefined) this.#watches[index] = known;
    }
  }

  /** The states of the limits, for the next program. */
  handOver(times: KernelTimes): WatchState[] {
    return this.#watches.map(({ since, ...rest }) => ({ ...rest, since: since === null ? null : times.toKernel(since) }));
  }

  /** Continues the states that an earlier program has handed over. */
  adopt(run: LimitedRun | null, watches: readonly WatchState[], times: KernelTimes): void {
    this.#run = run;
    for (const [index, { since, ...rest }] of watches.entries())
      this.#watches[index] = { ...rest, since: since === null ? null : times.fromKernel(since) };
  }

  setRun(run: LimitedRun): void {
    const isNew = run.runId !== this.#run?.runId;
    if (isNew || !run.isUp) for (const watch of this.#watches) end(watch, isNew);
    this.#run = run;
  }

  /** Compares the figures with the limits. */
  measure(figures: Figures, now: Moment): void {
    const run = this.#run;
    if (run?.isUp !== true) return;
    for (const [index, limit] of this.limits.entries()) {
      const value = figures[limit.measure];
      const watch = this.#watches[index];
      if (value !== null && watch !== undefined) compare(watch, limit, { value, runId: run.runId, now });
    }
  }

  /** Acknowledges everything that was reached. */
  clear(): void {
    for (const watch of this.#watches) {
      watch.isKnown ||= watch.reached !== null && watch.reached.run_id === this.#run?.runId;
      watch.reached = null;
    }
  }
}

interface Measured {
  readonly value: number;
  readonly runId: string;
  readonly now: Moment;
}

function compare(watch: Watch, limit: Limit, { value, runId, now }: Measured): void {
  const isOfThisRun = watch.reached?.run_id === runId;
  if (value <= limit.above) {
    watch.since = null;
    watch.isKnown = false;
    if (isOfThisRun && limit.action === "notify") watch.reached = null;
    return;
  }
  watch.since ??= now.monotonic;
  const over_ms = Math.round(now.monotonic - watch.since);
  if (watch.isKnown || isOfThisRun || over_ms < limit.for_ms) return;
  watch.reached = { ...limit, run_id: runId, value, over_ms, at: now.time, times: (watch.reached?.times ?? 0) + 1 };
}

/** The run has ended or is being stopped, or another one begins. What led to a restart remains, unless it was planned: a run time. */
function end(watch: Watch, isNew: boolean): void {
  watch.since = null;
  watch.isKnown = false;
  if (watch.reached === null) return;
  const { action, measure } = watch.reached;
  if (action === "notify" || (isNew && (action === "stop" || measure === "run_time"))) watch.reached = null;
}

const isSame = (a: Limit, b: Limit): boolean =>
  a.measure === b.measure && a.above === b.above && a.for_ms === b.for_ms && a.action === b.action;
