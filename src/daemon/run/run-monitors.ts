import { z } from "zod";
import type { Clock } from "../../base/timing/clock.ts";
import type { RunCheck, RunSpec } from "../../contract/run.ts";
import type { KernelTimes } from "../handover/kernel-times.ts";
import { FileWatcher } from "./file-watcher.ts";
import { Liveness, type LivenessState, livenessState } from "./liveness.ts";
import type { ProbeContext } from "./probe.ts";
import { Readiness } from "./readiness.ts";

export interface RunMonitorsOptions {
  spec: RunSpec;
  clock: Clock;
  /** Called at most once. */
  onReady: () => void;
  /** Called at most once. */
  onUnhealthy: (reason: string) => void;
  /** Called when a watched file has changed. */
  onChange: (path: string) => void;
  onProblem: (msg: string) => void;
  /** Called with all checks of features after each change. */
  onChecks: (checks: readonly RunCheck[]) => void;
  /** The state of the program before this one. */
  taken?: { state: RunMonitorsState; age: number; isReady: boolean; isUnhealthy: boolean } | null;
}

export const runMonitorsState = z.object({
  liveness: livenessState.nullable(),
  /** Watched files, with a text that changes when the file does; null: none were found yet. */
  files: z.array(z.tuple([z.string(), z.string()])).nullable(),
});
export type RunMonitorsState = z.infer<typeof runMonitorsState>;

/** Monitors a run: its readiness, afterwards its liveness, the files that it watches, and what features check. */
export class RunMonitors {
  readonly #options: RunMonitorsOptions;
  readonly #readiness: Readiness;
  #context: ProbeContext | null = null;
  #liveness: Liveness | null = null;
  #watcher: FileWatcher | null = null;
  #endChecks = () => {};

  /** Create it before the run begins: time limits begin now. Throws `bad_field` for an expression that cannot be compiled. */
  constructor(options: RunMonitorsOptions) {
    const { spec, clock, taken } = options;
    this.#options = options;
    const age = taken?.isReady ? null : (taken?.age ?? 0);
    this.#readiness = new Readiness({ condition: spec.ready, clock, onReady: () => this.#becomeReady(), age });
  }

  handOver(times: KernelTimes): RunMonitorsState {
    return { liveness: this.#liveness?.handOver(times) ?? null, files: this.#watcher?.files ? [...this.#watcher.files] : null };
  }

  /** Called when the run has begun. */
  begin(context: ProbeContext): void {
    const { spec, clock, onChange, onChecks, onProblem, taken } = this.#options;
    this.#context = context;
    this.#readiness.probe(context);
    this.#endChecks = context.features.watch(spec, onChecks);
    if (spec.ready === null || taken?.isReady) this.#watchLiveness(taken?.state.liveness);
    if (spec.watch.length > 0) {
      const files = taken?.state.files ? new Map(taken.state.files) : null;
      const base = spec.base_dir || process.cwd();
      this.#watcher = new FileWatcher({ globs: spec.watch, base, clock, onChange, onProblem, taken: files });
    }
  }

  output(bytes: Uint8Array): void {
    this.#readiness.append(bytes);
  }

  /** Called when the run is being stopped: its health and its files no longer matter. */
  stopping(): void {
    this.#context = null;
    this.#liveness?.end();
    this.#watcher?.end();
    this.#endChecks();
    this.#endChecks = () => {};
  }

  /** Called when the run's leader has ended. Also called for a run that never began. */
  end(): void {
    this.#readiness.end();
    this.stopping();
  }

  #becomeReady(): void {
    this.#options.onReady();
    this.#watchLiveness();
  }

  #watchLiveness(taken: LivenessState | null = null): void {
    const { alive } = this.#options.spec;
    if (alive === null || this.#context === null || this.#options.taken?.isUnhealthy) return;
    this.#liveness = new Liveness({ spec: alive, context: this.#context, onFailed: this.#options.onUnhealthy, taken });
  }
}
