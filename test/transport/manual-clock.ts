import type { Clock } from "../../src/base/timing/clock.ts";

/** Time that passes when the test says so. */
export class ManualClock implements Clock {
  #time = 0;
  #next = 1;
  readonly #timers = new Map<number, { due: number; callback: () => void }>();

  now(): number {
    return 1_700_000_000_000 + this.#time;
  }

  monotonic(): number {
    return this.#time;
  }

  setTimeout(callback: () => void, milliseconds: number): unknown {
    this.#timers.set(this.#next, { due: this.#time + milliseconds, callback });
    return this.#next++;
  }

  clearTimeout(handle: unknown): void {
    this.#timers.delete(handle as number);
  }

  get pendingTimers(): number {
    return this.#timers.size;
  }

  advance(milliseconds: number): void {
    const end = this.#time + milliseconds;
    for (;;) {
      const due = [...this.#timers].filter(([, timer]) => timer.due <= end).sort(([, a], [, b]) => a.due - b.due)[0];
      if (!due) break;
      const [handle, timer] = due;
      this.#timers.delete(handle);
      this.#time = Math.max(this.#time, timer.due);
      timer.callback();
    }
    this.#time = end;
  }
}
