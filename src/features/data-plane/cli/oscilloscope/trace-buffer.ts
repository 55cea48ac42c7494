/** Time span of one point, seconds: a terminal has too few columns for shorter ones. */
const BIN_SECONDS = 0.002;
/** Maximum number of points: the longest window at that resolution is 120 s. */
const MAX_BINS = 60_000;
const FIRST_BINS = 512;

/** One point: the smallest, largest and last value of its time span. NaN: a gap. */
export interface Bin {
  readonly time: number;
  readonly min: number;
  readonly max: number;
  readonly last: number;
}

/** The newest values of a trace, with bounded memory at any rate. Times are ascending seconds. */
export class TraceBuffer {
  #times = new Float64Array(FIRST_BINS);
  #mins = new Float64Array(FIRST_BINS);
  #maxs = new Float64Array(FIRST_BINS);
  #lasts = new Float64Array(FIRST_BINS);
  #begin = 0;
  #count = 0;

  get size(): number {
    return this.#count;
  }

  /** The newest value; null: there is none. */
  get last(): number | null {
    return this.#count === 0 ? null : (this.#lasts[this.#at(this.#count - 1)] ?? null);
  }

  add(time: number, value: number): void {
    const shown = Number.isFinite(value) ? value : Number.NaN;
    const at = this.#at(this.#count - 1);
    const isSame = this.#count > 0 && time - (this.#times[at] ?? 0) < BIN_SECONDS && !Number.isNaN(shown) && !Number.isNaN(this.#lasts[at]);
    if (!isSame) {
      this.#push(time, shown);
      return;
    }
    this.#mins[at] = Math.min(this.#mins[at] ?? shown, shown);
    this.#maxs[at] = Math.max(this.#maxs[at] ?? shown, shown);
    this.#lasts[at] = shown;
  }

  /** Points from `from` on, and the one before it, from which a visible line begins. */
  *since(from: number): Generator<Bin> {
    for (let index = Math.max(0, this.#firstSince(from) - 1); index < this.#count; index++) {
      const at = this.#at(index);
      yield { time: this.#times[at] ?? 0, min: this.#mins[at] ?? 0, max: this.#maxs[at] ?? 0, last: this.#lasts[at] ?? 0 };
    }
  }

  clear(): void {
    this.#count = 0;
  }

  /** A copy with the present values. */
  copy(): TraceBuffer {
    const copy = new TraceBuffer();
    copy.#times = this.#times.slice();
    copy.#mins = this.#mins.slice();
    copy.#maxs = this.#maxs.slice();
    copy.#lasts = this.#lasts.slice();
    copy.#begin = this.#begin;
    copy.#count = this.#count;
    return copy;
  }

  #at(index: number): number {
    return (this.#begin + Math.max(0, index)) % this.#times.length;
  }

  #firstSince(from: number): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#times[this.#at(middle)] ?? 0) < from) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #push(time: number, value: number): void {
    if (this.#count === this.#times.length && this.#count < MAX_BINS) this.#grow();
    if (this.#count === this.#times.length) this.#begin = (this.#begin + 1) % this.#times.length;
    else this.#count++;
    const at = this.#at(this.#count - 1);
    this.#times[at] = time;
    this.#mins[at] = value;
    this.#maxs[at] = value;
    this.#lasts[at] = value;
  }

  /** Nothing is evicted before the buffer has its full size, so that it begins at 0. */
  #grow(): void {
    const length = Math.min(MAX_BINS, this.#times.length * 2);
    const larger = (values: Float64Array) => {
      const grown = new Float64Array(length);
      grown.set(values);
      return grown;
    };
    this.#times = larger(this.#times);
    this.#mins = larger(this.#mins);
    this.#maxs = larger(this.#maxs);
    this.#lasts = larger(this.#lasts);
  }
}
