import { constants, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";

/** Time without a garbage collection after which the program counts as quiet, ms. */
const QUIET_MS = 3_000;

/** Maximum interval between two collections of young objects that belong to a burst of work, ms. */
const BURST_MS = 500;

/**
 * Decides when to prefer a small heap to a fast program: while there is little to do. Otherwise V8 keeps the garbage of a burst for as long as
 * nothing else is allocated (docs/decisions/0043).
 */
export class QuietHeap {
  readonly #prefer: (small: boolean) => void;
  readonly #quiet: NodeJS.Timeout;
  #isSmall = false;
  #youngAt = Number.NEGATIVE_INFINITY;

  constructor(prefer: (small: boolean) => void) {
    this.#prefer = prefer;
    this.#quiet = setTimeout(() => this.#set(true), QUIET_MS).unref();
  }

  /** Called when a collection began at `at`, ms. */
  collected(of: "young" | "all", at: number): void {
    const isBurst = of === "young" && at - this.#youngAt < BURST_MS;
    if (of === "young") this.#youngAt = at;
    // Now and then a quiet program collects, too, and V8 collects to make the heap small.
    if (this.#isSmall && !isBurst) return;
    if (this.#isSmall) this.#set(false);
    this.#quiet.refresh();
  }

  #set(isSmall: boolean): void {
    this.#isSmall = isSmall;
    this.#prefer(isSmall);
  }
}

/** Used only in our own programs: a flag of the engine applies to the whole process. */
export function keepHeapSmallWhenQuiet(): void {
  const heap = new QuietHeap((small) => setFlagsFromString(small ? "--optimize-for-size" : "--no-optimize-for-size"));
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) heap.collected(generationOf(entry), entry.startTime);
  });
  observer.observe({ entryTypes: ["gc"] });
}

function generationOf(entry: PerformanceEntry): "young" | "all" {
  const { detail } = entry as PerformanceEntry & { detail: { kind: number } };
  return detail.kind === constants.NODE_PERFORMANCE_GC_MINOR ? "young" : "all";
}
