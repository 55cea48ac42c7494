import { constants, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";

/** Two collections of young objects that follow one another so closely belong to a burst of work, ms. */
const BURST_MS = 500;

export interface BurstOptions {
  /** A program has little to do after so long without a further burst, or without any collection, ms. */
  readonly quietAfter: { readonly bursts: number } | { readonly collections: number };
  readonly changed: (isQuiet: boolean) => void;
}

/** Tells bursts of work from quiet times by the collections of garbage. A program that has just started is in a burst. */
export class BurstDetector {
  readonly #changed: (isQuiet: boolean) => void;
  readonly #onlyBursts: boolean;
  readonly #quiet: NodeJS.Timeout;
  #isQuiet = false;
  #youngAt = Number.NEGATIVE_INFINITY;

  constructor({ quietAfter, changed }: BurstOptions) {
    this.#onlyBursts = "bursts" in quietAfter;
    this.#changed = changed;
    const ms = "bursts" in quietAfter ? quietAfter.bursts : quietAfter.collections;
    this.#quiet = setTimeout(() => this.#set(true), ms).unref();
  }

  /** A collection began at `at`, ms. */
  collected(of: "young" | "all", at: number): void {
    const isBurst = of === "young" && at - this.#youngAt < BURST_MS;
    if (of === "young") this.#youngAt = at;
    if (!isBurst && (this.#isQuiet || this.#onlyBursts)) return;
    this.begin();
  }

  /** A burst begins now. */
  begin(): void {
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
