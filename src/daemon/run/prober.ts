import type { Clock } from "../../base/timing/clock.ts";
import type { Probe } from "../../contract/run.ts";
import { type ProbeContext, tryProbe } from "./probe.ts";

interface ProberOptions {
  probe: Probe;
  context: ProbeContext;
  /** Delay before the first attempt, milliseconds. */
  delay: number;
  /** Called after each attempt: null if it succeeded, else the reason. */
  onOutcome: (outcome: string | null) => void;
}

/** Repeats a probe at its interval, one attempt at a time, until it is ended. */
export class Prober {
  readonly #options: ProberOptions;
  readonly #clock: Clock;
  #timer: unknown;
  #due: number;
  #cancel: (() => void) | null = null;
  #isOver = false;

  constructor(options: ProberOptions) {
    this.#options = options;
    this.#clock = options.context.clock;
    this.#due = this.#clock.monotonic() + options.delay;
    this.#timer = this.#clock.setTimeout(() => this.#ask(), options.delay);
  }

  /** Monotonic time of the next attempt, or of the one in progress. */
  get due(): number {
    return this.#due;
  }

  /** Reports no further outcome, and cancels the attempt in progress. */
  end(): void {
    this.#isOver = true;
    this.#clock.clearTimeout(this.#timer);
    this.#cancel?.();
  }

  #ask(): void {
    const { probe, context, onOutcome } = this.#options;
    const began = this.#clock.monotonic();
    const { outcome, cancel } = tryProbe(probe, context);
    this.#cancel = cancel;
    void outcome.then((result) => {
      if (this.#isOver) return;
      const pause = Math.max(0, probe.interval_ms - (this.#clock.monotonic() - began));
      this.#due = this.#clock.monotonic() + pause;
      this.#timer = this.#clock.setTimeout(() => this.#ask(), pause);
      onOutcome(result);
    });
  }
}
