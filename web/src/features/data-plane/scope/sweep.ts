import type { TraceSamples } from "../plot/trace-samples.ts";
import { type Trigger, TriggerSearch } from "./trigger.ts";

interface Span {
  readonly from: number;
  readonly until: number;
}
/** `waiting`: the trigger has not fired; `triggered`: the window is where it fired; `free`: it did not fire lately, and the window scrolls. */
export type SweepState = "waiting" | "triggered" | "free" | "captured";

/** Minimum time without a trigger after which the window scrolls in the mode `auto`, seconds. */
const MIN_QUIET_SECONDS = 0.2;

/** Places the window at the newest trigger whose window is complete. Each sample is searched once. */
export class Sweep {
  readonly #trigger: Trigger;
  readonly #seconds: number;
  #search: TriggerSearch;
  /** Samples up to this time have been searched; null: none were. */
  #searched: number | null = null;
  #at: number | null = null;
  #state: SweepState = "waiting";

  constructor(trigger: Trigger, seconds: number) {
    this.#trigger = trigger;
    this.#seconds = seconds;
    this.#search = new TriggerSearch(trigger);
  }

  /** The topic whose samples trigger it. */
  get topic(): string {
    return this.#trigger.trace.topic;
  }

  get state(): SweepState {
    return this.#state;
  }

  /** The time at which the shown window was triggered; null while it is not. */
  get at(): number | null {
    return this.#state === "triggered" || this.#state === "captured" ? this.#at : null;
  }

  /** Waits for a new trigger, later than all samples that there are. */
  arm(): void {
    this.#search = new TriggerSearch(this.#trigger);
    this.#searched = null;
    this.#at = null;
    this.#state = "waiting";
  }

  /** The window to show; null: the shown one stays. `samples`: those of the trigger's topic. */
  next(samples: TraceSamples): Span | null {
    const { newest } = samples;
    if (newest === null || this.#state === "captured") return null;
    const { mode, trace, before } = this.#trigger;
    const after = (1 - before) * this.#seconds;
    // A single trigger has to fire after it was armed; others may show what was there before.
    this.#searched ??= mode === "single" ? newest : newest - after - this.#seconds;
    const complete = newest - after;
    if (complete > this.#searched) {
      const { times, values } = samples.full(trace.field, this.#searched);
      const [first, end] = [rowAfter(times, this.#searched), rowAfter(times, complete)];
      const found = this.#search.next(times.subarray(first, end), values.subarray(first, end), mode === "single" ? "first" : "last");
      this.#searched = complete;
      if (found !== null) {
        this.#at = found;
        this.#state = mode === "single" ? "captured" : "triggered";
        return { from: found - before * this.#seconds, until: found + after };
      }
    }
    const quiet = this.#at === null ? Number.POSITIVE_INFINITY : complete - this.#at;
    if (mode === "auto" && quiet > Math.max(this.#seconds, MIN_QUIET_SECONDS)) {
      this.#state = "free";
      return { from: newest - this.#seconds, until: newest };
    }
    // Until the first trigger, the samples are shown as they come.
    return this.#at === null ? { from: newest - this.#seconds, until: newest } : null;
  }
}

/** Index of the first time after `time`. */
function rowAfter(times: Float64Array, time: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}
