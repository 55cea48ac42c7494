import { z } from "zod";
import type { Clock } from "../../base/timing/clock.ts";
import type { KernelTimes } from "../handover/kernel-times.ts";

/** Milliseconds, and the time of `stop` on the kernel's clock. */
export const managerLostState = z.object({ after_ms: z.number().nullable(), due: z.number().nullable() });
type ManagerLostState = z.infer<typeof managerLostState>;

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
  /** Monotonic time of `stop`; null: the timer does not run. */
  #due: number | null = null;

  constructor({ clock, stop }: ManagerLostTimerOptions) {
    this.#clock = clock;
    this.#stop = stop;
  }

  greeted(afterMs: number | null): void {
    this.close();
    this.#afterMs = afterMs;
  }

  lost(): void {
    if (this.#afterMs !== null) this.#begin(this.#afterMs, this.#afterMs);
  }

  /** Continues as in the program before this one, which has lost its manager at the latest by being replaced. */
  take({ after_ms, due }: ManagerLostState, times: KernelTimes): void {
    this.#afterMs = after_ms;
    if (after_ms !== null) this.#begin(after_ms, due === null ? after_ms : times.fromKernel(due) - this.#clock.monotonic());
  }

  handOver(times: KernelTimes): ManagerLostState {
    return { after_ms: this.#afterMs, due: this.#due === null ? null : times.toKernel(this.#due) };
  }

  #begin(after: number, restMs: number): void {
    this.close();
    this.#due = this.#clock.monotonic() + restMs;
    this.#timer = this.#clock.setTimeout(
      () => {
        this.#timer = null;
        this.#due = null;
        this.#stop(after);
      },
      Math.max(0, restMs),
    );
  }

  close(): void {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
    this.#due = null;
  }
}
