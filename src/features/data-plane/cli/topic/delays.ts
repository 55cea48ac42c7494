/** Delays of one interval, nanoseconds. */
export class Delays {
  #values: number[] = [];
  /** Number of messages without a time of publishing. */
  untimed = 0;
  #dropped = 0;

  add(nanoseconds: number): void {
    if (this.#values.length < MAX_VALUES) this.#values.push(nanoseconds);
    else this.#dropped++;
  }

  /** Returns the summary of the interval in milliseconds, and resets the figures; null: there was no message. */
  take(): DelaySummary | null {
    const values = this.#values.sort((a, b) => a - b);
    const messages = values.length + this.#dropped;
    this.#values = [];
    this.#dropped = 0;
    const first = values[0];
    if (first === undefined) return null;
    const at = (part: number) => (values[Math.min(values.length - 1, Math.floor(values.length * part))] ?? first) / NS_PER_MS;
    const sum = values.reduce((total, value) => total + value, 0);
    return { messages, mean_ms: sum / values.length / NS_PER_MS, min_ms: at(0), p50_ms: at(0.5), p99_ms: at(0.99), max_ms: at(1) };
  }
}

export interface DelaySummary {
  readonly messages: number;
  readonly mean_ms: number;
  readonly min_ms: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  readonly max_ms: number;
}

const NS_PER_MS = 1_000_000;
/** Maximum number of values of one interval; further messages are only counted. */
const MAX_VALUES = 100_000;
