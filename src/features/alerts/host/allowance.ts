/** A budget that grows with time up to a limit, by a monotonic clock in milliseconds. */
export class Allowance {
  readonly #perSecond: number;
  readonly #most: number;
  #left: number;
  #at: number | null = null;

  constructor({ perSecond, most }: { readonly perSecond: number; readonly most: number }) {
    this.#perSecond = perSecond;
    this.#most = most;
    this.#left = most;
  }

  /** Whether an amount is there. */
  has(amount: number, now: number): boolean {
    this.#left = Math.min(this.#most, this.#left + ((now - (this.#at ?? now)) * this.#perSecond) / 1_000);
    this.#at = now;
    return this.#left >= amount;
  }

  /** Takes an amount if it is there; returns whether it was. */
  take(amount: number, now: number): boolean {
    if (!this.has(amount, now)) return false;
    this.#left -= amount;
    return true;
  }
}
