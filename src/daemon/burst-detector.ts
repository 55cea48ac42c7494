import { constants, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";

/** After so long without a burst, or without any collection of garbage, a program has little to do, ms. */
const QUIET_MS = 3_000;

/** Two collections of young objects that follow one another so closely belong to a burst of work, ms. */
const BURST_MS = 500;

/**
 * Tells bursts of work from quiet times by the collections of garbage. A program that has just started is in a burst. `endedBy`: what has to
 * stay away for a burst to end, further bursts or collections of any kind.
 */
export class BurstDetector {
  readonly #changed: (isQuiet: boolean) => void;
  readonly #endedBy: "no burst" | "no collection";
  readonly #quiet: NodeJS.Timeout;
  #isQuiet = false;
  #youngAt = Number.NEGATIVE_INFINITY;

  constructor(endedBy: "no burst" | "no collection", changed: (isQuiet: boolean) => void) {
    this.#endedBy = endedBy;
    this.#changed = changed;
    this.#quiet = setTimeout(() => this.#set(true), QUIET_MS).unref();
  }

  /** A collection began at `at`, ms. */
  collected(of: "young" | "all", at: number): void {
    const isBurst = of === "young" && at - this.#youngAt < BURST_MS;
    if (of === "young") this.#youngAt = at;
    if (!isBurst && (this.#isQuiet || this.#endedBy === "no burst")) return;
    if (this.#isQuiet) this.#set(false);
    this.#quiet.refresh();
  }

  #set(isQuiet: boolean): void {
    this.#isQuiet = isQuiet;
    this.#changed(isQuiet);
  }
}

/** Tells them of each collection of this program. */
export function observeCollections(detectors: readonly BurstDetector[]): void {
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) for (const detector of detectors) detector.collected(generationOf(entry), entry.startTime);
  });
  observer.observe({ entryTypes: ["gc"] });
}

function generationOf(entry: PerformanceEntry): "young" | "all" {
  const { detail } = entry as PerformanceEntry & { detail: { kind: number } };
  return detail.kind === constants.NODE_PERFORMANCE_GC_MINOR ? "young" : "all";
}
