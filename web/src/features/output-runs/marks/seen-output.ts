/** Where the output of a process ends: an offset, and the beginning of the id of its stream. */
export type OutputEnd = readonly [offset: number, stream: string];

/** The memory of a browser: the end of the output of each process when it was last viewed. */
export type SeenEnds = Readonly<Record<string, OutputEnd>>;

/** Answers after the end of a look that still belong to it: they were made up to two seconds before they come. */
const ANSWERS_AFTER_LOOK = 2;

/** Processes that have written since they were last viewed. */
export class SeenOutput {
  readonly #seen: Map<string, OutputEnd>;
  readonly #latest = new Map<string, OutputEnd>();
  /** Answers that still belong to a look, by process; Infinity while it lasts. */
  readonly #looks = new Map<string, number>();
  /** Whether everything counts as seen: this browser sees the manager for the first time. */
  #isFirst: boolean;

  constructor(stored: SeenEnds | null) {
    this.#seen = new Map(Object.entries(stored ?? {}));
    this.#isFirst = stored === null;
  }

  /** The state to be kept; null: nothing is known yet. */
  get stored(): SeenEnds | null {
    if (this.#isFirst) return null;
    return Object.fromEntries(this.#seen);
  }

  isNew(name: string): boolean {
    const latest = this.#latest.get(name);
    if (latest === undefined) return false;
    const seen = this.#seen.get(name);
    return seen?.[1] === latest[1] ? latest[0] > seen[0] : latest[0] > 0;
  }

  /** The terminals of these processes are visible from now on, and no others. Returns the names whose output has become seen. */
  look(names: ReadonlySet<string>): string[] {
    for (const [name, answers] of this.#looks)
      if (answers === Number.POSITIVE_INFINITY && !names.has(name)) this.#looks.set(name, ANSWERS_AFTER_LOOK);
    const cleared = [...names].filter((name) => this.isNew(name));
    for (const name of names) {
      this.#looks.set(name, Number.POSITIVE_INFINITY);
      this.#see(name);
    }
    return cleared;
  }

  /** An answer of the manager: ends that have changed. Returns whether anything was seen. `isWhole`: it has all that have changed. */
  update(ends: readonly (readonly [name: string, end: OutputEnd])[], isWhole: boolean): boolean {
    let hasSeen = false;
    for (const [name, end] of ends) {
      this.#latest.set(name, end);
      if (!this.#isFirst && !this.#looks.has(name)) continue;
      this.#see(name);
      hasSeen = true;
    }
    if (isWhole) this.#isFirst = false;
    for (const [name, answers] of this.#looks) {
      if (answers > 1) this.#looks.set(name, answers - 1);
      else this.#looks.delete(name);
    }
    return hasSeen;
  }

  /** Takes over what another tab of this browser has seen. Returns the names whose output has become seen. */
  merge(stored: SeenEnds): string[] {
    const cleared: string[] = [];
    for (const [name, end] of Object.entries(stored)) {
      const own = this.#seen.get(name);
      if (own?.[1] === end[1] && own[0] >= end[0]) continue;
      // The newest known one of two streams counts.
      if (own !== undefined && own[1] !== end[1] && this.#latest.get(name)?.[1] !== end[1]) continue;
      const wasNew = this.isNew(name);
      this.#seen.set(name, end);
      if (wasNew && !this.isNew(name)) cleared.push(name);
    }
    return cleared;
  }

  /** Forgets processes that there are no longer. */
  keep(has: (name: string) => boolean): void {
    for (const table of [this.#seen, this.#latest, this.#looks]) for (const name of table.keys()) if (!has(name)) table.delete(name);
  }

  #see(name: string): void {
    const latest = this.#latest.get(name);
    if (latest !== undefined) this.#seen.set(name, latest);
  }
}

/** Reads what a browser has kept; null: nothing, or something else. */
export function readSeenEnds(value: unknown): SeenEnds | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const isEnd = (end: unknown): end is OutputEnd =>
    Array.isArray(end) && end.length === 2 && Number.isSafeInteger(end[0]) && typeof end[1] === "string";
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, OutputEnd] => isEnd(entry[1])));
}
