/** Values below this have a bucket each; above, each power of ten has 900 buckets, so that a bucket is at most 1 % of its values wide. */
const EXACT_BELOW = 1_000;
const BUCKETS_PER_DECADE = 900;
const DECADES = 9;
/** Larger values count as this one. */
export const MAX_VALUE = EXACT_BELOW * 10 ** DECADES - 1;

/** Counts of whole numbers from 0 to 10^12 − 1 in 9,100 buckets (36 KiB). A value that is read back is wrong by 0.5 % at most. */
export class LogLinearHistogram {
  readonly #counts = new Uint32Array(EXACT_BELOW + BUCKETS_PER_DECADE * DECADES);
  count = 0;

  add(value: number): void {
    const index = indexOf(Math.min(MAX_VALUE, Math.max(0, Math.floor(value))));
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.count++;
  }

  /** For each share (0 to 1, ascending), the value that this share of all values does not exceed, by the nearest rank; 0 if there are none. */
  quantiles(shares: readonly number[]): number[] {
    const found: number[] = [];
    let passed = 0;
    for (const [index, count] of this.#used()) {
      passed += count;
      while (found.length < shares.length && passed >= Math.ceil((shares[found.length] ?? 1) * this.count)) found.push(middleOf(index));
    }
    return shares.map((_, at) => found[at] ?? 0);
  }

  /** Counts in steps of 1, 2, 5, 10 …, from the first to the last that has values. */
  bins(): { from: number; messages: number }[] {
    const bins: { from: number; messages: number }[] = [];
    let from = 0;
    for (const [index, count] of this.#used()) {
      const { lowest } = lowestOf(index);
      for (let next = edgeAfter(from); lowest >= next; next = edgeAfter(from)) {
        from = next;
        if (bins.length > 0) bins.push({ from, messages: 0 });
      }
      const last = bins.at(-1);
      if (last === undefined) bins.push({ from, messages: count });
      else last.messages += count;
    }
    return bins;
  }

  /** Index and count of each bucket that has values. Reading all of them takes microseconds: messages wait meanwhile. */
  *#used(): Generator<readonly [number, number]> {
    for (let index = 0; index < this.#counts.length; index++) {
      const count = this.#counts[index] ?? 0;
      if (count > 0) yield [index, count];
    }
  }
}

function indexOf(value: number): number {
  let decade = 0;
  let rest = value;
  for (; rest >= EXACT_BELOW; decade++) rest = Math.floor(rest / 10);
  return decade === 0 ? rest : decade * BUCKETS_PER_DECADE + rest;
}

function lowestOf(index: number): { lowest: number; width: number } {
  if (index < EXACT_BELOW) return { lowest: index, width: 1 };
  const decade = Math.floor((index - EXACT_BELOW) / BUCKETS_PER_DECADE) + 1;
  const width = 10 ** decade;
  return { lowest: (index - decade * BUCKETS_PER_DECADE) * width, width };
}

function middleOf(index: number): number {
  const { lowest, width } = lowestOf(index);
  return lowest + (width - 1) / 2;
}

/** The next one of the steps 0, 1, 2, 5, 10 … */
function edgeAfter(edge: number): number {
  if (edge === 0) return 1;
  const unit = 10 ** (String(edge).length - 1);
  return unit * (edge === unit ? 2 : edge === 2 * unit ? 5 : 10);
}
