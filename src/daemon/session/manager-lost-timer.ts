import type { Clock } from "../../base/clock.ts";

interface ManagerLostTimerOptions {
  clock: Clock;
  stop: (afterMs: number) => void;
}

/** Limits how long a host continues without its manager, as set at the hello: for ever, or for this time. */
export class ManagerLostTimer {
  readonly #clock: Clock;
  readonly #stop: ManagerLostTimerOptions["stop"];
  /** Time until `stop`, milliseconds; null: the host continues for ever. */
  #afterMs: number | null = null;
  #timer: unknown = null;

  constructor({ clock, stop }: ManagerLostTimerOptions) {
    this.#clock = clock;
    this.#stop = stop;
  }

  greeted(afterMs: number | null): void {
    this.close();
    this.#afterMs = afterMs;
  }

  lost(): void {
    this.close();
    const after = this.#afterMs;
    if (after === null) return;
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = null;
      this.#stop(after);
    }, after);
  }

  close(): void {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
  }
}
