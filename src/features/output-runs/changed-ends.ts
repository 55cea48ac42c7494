interface Known<End> {
  readonly end: End;
  /** Number of the change that it came with. */
  readonly change: number;
}

/** Where the output of each process ends, in the order of the changes: gives those that have changed since an earlier answer. */
export class ChangedEnds<End> {
  readonly #known = new Map<string, Known<End>>();
  readonly #isEqual: (a: End, b: End) => boolean;
  #changes = 0;

  constructor(isEqual: (a: End, b: End) => boolean) {
    this.#isEqual = isEqual;
  }

  set(name: string, end: End): void {
    const known = this.#known.get(name);
    if (known !== undefined && this.#isEqual(known.end, end)) return;
    // Inserted again, so that the order of the map is that of the changes.
    this.#known.delete(name);
    this.#known.set(name, { end, change: ++this.#changes });
  }

  /** Forgets all names but these. */
  keep(has: (name: string) => boolean): void {
    for (const name of this.#known.keys()) if (!has(name)) this.#known.delete(name);
  }

  /** At most `most` ends that have changed after the answer with this `next`; a number of another table, such as that of an earlier program, is as 0. */
  since(after: number, most: number): { ends: [name: string, end: End][]; next: number } {
    const from = after > this.#changes ? 0 : after;
    const ends: [string, End][] = [];
    let next = from;
    for (const [name, { end, change }] of this.#known) {
      if (change <= from) continue;
      if (ends.length >= most) return { ends, next };
      ends.push([name, end]);
      next = change;
    }
    return { ends, next };
  }
}
