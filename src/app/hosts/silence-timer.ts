import type { Clock } from "../../base/timing/clock.ts";

/** Calls back once when nothing was heard for a time. Hearing something costs no timer: the one that is set is prolonged when it fires. */
export class SilenceTimer {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #onSilence: () => void;
  /** Monotonic time. */
  #heardAt = 0;
  #timer: unknown = null;

  constructor(clock: Clock, limitMs: number, onSilence: () => void) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#onSilence = onSilence;
  }

  begin(): void {
    this.end();
    this.heard();
    this.#timer = this.#clock.setTimeout(() => this.#check(), this.#limitMs);
  }

  heard(): void {
    this.#heardAt = this.#clock.monotonic();
  }

  end(): void {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
  }

  #check(): void {
    this.#timer = null;
    const leftMs = this.#heardAt + this.#limitMs - this.#clock.monotonic();
    if (leftMs > 0) this.#timer = this.#clock.setTimeout(() => this.#check(), leftMs);
    else this.#onSilence();
  }
}
