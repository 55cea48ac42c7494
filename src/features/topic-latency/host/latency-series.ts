import type { HostFigures } from "../contract.ts";
import { LogLinearHistogram } from "./log-linear-histogram.ts";

/** RFC 3550, section 6.4.1: the estimate moves by a sixteenth of what is new. */
const JITTER_SHARE = 1 / 16;
/** Greater numbers are not exact in JSON. */
const MAX_EXACT = BigInt(Number.MAX_SAFE_INTEGER);

/** Statistics of one latency over many messages. */
export class LatencySeries {
  readonly #histogram = new LogLinearHistogram();
  #belowZero = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;
  #mean = 0;
  /** Sum of the squared distances from the mean, by Welford's method. */
  #squares = 0;
  #jitter = 0;
  #last: number | null = null;
  #worst: HostFigures["worst"] = { from: "0", until: "0", seq: null };

  /** A message that was sent and received at these times by the same clock, nanoseconds. */
  add(from: bigint, until: bigint, seq: bigint | null): void {
    const measured = Number(until - from);
    if (this.#last !== null) this.#jitter += (Math.abs(measured - this.#last) - this.#jitter) * JITTER_SHARE;
    this.#last = measured;
    if (measured < 0) this.#belowZero++;
    const latency = Math.max(0, measured);
    this.#histogram.add(latency);
    const distance = latency - this.#mean;
    this.#mean += distance / this.#histogram.count;
    this.#squares += distance * (latency - this.#mean);
    this.#min = Math.min(this.#min, latency);
    if (latency <= this.#max) return;
    this.#max = latency;
    this.#worst = { from: String(from), until: String(until), seq: seq === null || seq > MAX_EXACT ? null : Number(seq) };
  }

  /** At least one message was added. */
  figures(): HostFigures {
    const { count } = this.#histogram;
    // The middle of a bucket may be outside of what was measured.
    const [p50 = 0, p90 = 0, p99 = 0, p999 = 0] = this.#histogram
      .quantiles([0.5, 0.9, 0.99, 0.999])
      .map((value) => Math.min(this.#max, Math.max(this.#min, value)));
    return {
      messages: count,
      below_zero: this.#belowZero,
      min: this.#min,
      mean: this.#mean,
      ...{ p50, p90, p99, p999 },
      max: this.#max,
      deviation: Math.sqrt(this.#squares / count),
      jitter: this.#jitter,
      bins: this.#histogram.bins(),
      worst: this.#worst,
    };
  }
}
