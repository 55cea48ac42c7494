import type { Clock } from "../../base/timing/clock.ts";

/**
 * Converts times of a monotonic clock, milliseconds, whose origin is the start of a program, into those of the kernel's clock, which continues when the
 * program is replaced.
 */
export class KernelTimes {
  readonly #offset: number;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#offset = Number(process.hrtime.bigint()) / 1e6 - clock.monotonic();
  }

  toKernel(monotonic: number): number {
    return monotonic + this.#offset;
  }

  fromKernel(time: number): number {
    return time - this.#offset;
  }
}
