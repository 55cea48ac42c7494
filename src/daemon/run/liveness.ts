import type { Liveness as LivenessSpec } from "../../contract/run.ts";
import { describeProbe, type ProbeContext } from "./probe.ts";
import { Prober } from "./prober.ts";

interface LivenessOptions {
  spec: LivenessSpec;
  context: ProbeContext;
  /** Called at most once. */
  onFailed: (reason: string) => void;
}

/** Watches a run from now on, with the first attempt after one interval. The configured number of failures in a row is final. */
export class Liveness {
  readonly #prober: Prober;

  constructor({ spec: { probe, failures }, context, onFailed }: LivenessOptions) {
    let inARow = 0;
    this.#prober = new Prober({
      probe,
      context,
      delay: probe.interval_ms,
      onOutcome: (outcome) => {
        inARow = outcome === null ? 0 : inARow + 1;
        if (inARow < failures || outcome === null) return;
        this.#prober.end();
        const times = failures === 1 ? "" : ` ${failures} times in a row`;
        onFailed(`not alive: ${describeProbe(probe)} failed${times}: ${outcome}`.slice(0, 1_000));
      },
    });
  }

  end(): void {
    this.#prober.end();
  }
}
