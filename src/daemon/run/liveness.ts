import { z } from "zod";
import type { Liveness as LivenessSpec } from "../../contract/run.ts";
import { KernelTimes } from "../handover/kernel-times.ts";
import { describeProbe, type ProbeContext } from "./probe.ts";
import { Prober } from "./prober.ts";

interface LivenessOptions {
  spec: LivenessSpec;
  context: ProbeContext;
  /** Called at most once. */
  onFailed: (reason: string) => void;
  /** Result of the program that this one replaces. */
  taken?: LivenessState | null;
}

/** The failures in a row, and the time of the next attempt on the kernel's clock. */
export const livenessState = z.object({ in_a_row: z.int().min(0), due: z.number() });
export type LivenessState = z.infer<typeof livenessState>;

/** Watches a run from now on, with the first attempt after one interval. The configured number of failures in a row is final. */
export class Liveness {
  readonly #prober: Prober;
  #inARow: number;

  constructor({ spec: { probe, failures }, context, onFailed, taken = null }: LivenessOptions) {
    this.#inARow = taken?.in_a_row ?? 0;
    const { clock } = context;
    const delay = taken === null ? probe.interval_ms : new KernelTimes(clock).fromKernel(taken.due) - clock.monotonic();
    this.#prober = new Prober({
      probe,
      context,
      delay: Math.max(0, delay),
      onOutcome: (outcome) => {
        this.#inARow = outcome === null ? 0 : this.#inARow + 1;
        if (this.#inARow < failures || outcome === null) return;
        this.#prober.end();
        const times = failures === 1 ? "" : ` ${failures} times in a row`;
        onFailed(`not alive: ${describeProbe(probe, context)} failed${times}: ${outcome}`.slice(0, 1_000));
      },
    });
  }

  handOver(times: KernelTimes): LivenessState {
    return { in_a_row: this.#inARow, due: times.toKernel(this.#prober.due) };
  }

  end(): void {
    this.#prober.end();
  }
}
