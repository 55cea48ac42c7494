/** Maximum number of samples in the span of a mean: half a minute at 1 kHz. Of faster ones, the newest count. */
const MAX_SAMPLES = 30_000;
const FIRST_SAMPLES = 256;

/** The mean of the samples of the last `seconds`: those later than that before the newest one. */
export class MovingMean {
  readonly #seconds: number;
  /** Rings of the same size, a power of two. */
  #times = new Float64Array(FIRST_SAMPLES);
  #values = new Float64Array(FIRST_SAMPLES);
  /** Numbers of the oldest sample and of the next one. */
  #begin = 0;
  #end = 0;
  #sum = 0;
  /** Number of changes of the sum since it was computed anew. */
  #changes = 0;

  constructor(seconds: number) {
    this.#seconds = seconds;
  }

  /** Adds a sample, later than the one before; returns the mean. */
  add(time: number, value: number): number {
    if (this.#end - this.#begin === this.#times.length) this.#grow();
    this.#times[this.#end & this.#mask] = time;
    this.#values[this.#end & this.#mask] = value;
    this.#end++;
    this.#sum += value;
    this.#changes++;
    while (this.#isOver(time)) {
      this.#sum -= this.#values[this.#begin & this.#mask] ?? 0;
      this.#begin++;
      this.#changes++;
    }
    // Rounding errors would add up.
    if (this.#changes > this.#times.length) this.#sumUp();
    return this.#sum / (this.#end - this.#begin);
  }

  get #mask(): number {
    return this.#times.length - 1;
  }

  #isOver(time: number): boolean {
    return (this.#times[this.#begin & this.#mask] ?? 0) <= time - this.#seconds || this.#end - this.#begin > MAX_SAMPLES;
  }

  #sumUp(): void {
    this.#sum = 0;
    for (let at = this.#begin; at < this.#end; at++) this.#sum += this.#values[at & this.#mask] ?? 0;
    this.#changes = 0;
  }

  #grow(): void {
    const grown = (ring: Float64Array) => {
      const larger = new Float64Array(2 * ring.length);
      for (let at = this.#begin; at < this.#end; at++) larger[at & (larger.length - 1)] = ring[at & this.#mask] ?? 0;
      return larger;
    };
    [this.#times, this.#values] = [grown(this.#times), grown(this.#values)];
  }
}
