import { type Clock, systemClock } from "../../../src/base/timing/clock.ts";

/** Real time that the test can also push on: what falls due then is run at once, in its order. */
export class ShiftedClock implements Clock {
  #shift = 0;
  readonly #timers = new Map<object, { due: number; callback: () => void; real: unknown }>();

  now(): number {
    return systemClock.now() + this.#shift;
  }

  monotonic(): number {
    return systemClock.monotonic() + this.#shift;
  }

  setTimeout(callback: () => void, milliseconds: number): unknown {
    const handle = {};
    const fire = () => {
      this.#timers.delete(handle);
      callback();
    };
    this.#timers.set(handle, { due: this.monotonic() + milliseconds, callback: fire, real: systemClock.setTimeout(fire, milliseconds) });
    return handle;
  }

  clearTimeout(handle: unknown): void {
    const timer = this.#timers.get(handle as object);
    if (!timer) return;
    systemClock.clearTimeout(timer.real);
    this.#timers.delete(handle as object);
  }

  /** Moves on in steps to each timer that falls due within `milliseconds`. */
  pass(milliseconds: number): void {
    const end = this.monotonic() + milliseconds;
    for (;;) {
      const [due] = [...this.#timers.values()].filter((timer) => timer.due <= end).sort((a, b) => a.due - b.due);
      if (!due) break;
      systemClock.clearTimeout(due.real);
      this.#shift += Math.max(0, due.due - this.monotonic());
      due.callback();
    }
    this.#shift += Math.max(0, end - this.monotonic());
  }
}
