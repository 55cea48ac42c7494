import type { Clock } from "../../base/clock.ts";
import type { RunSpec } from "../../contract/run.ts";
import { FileWatcher } from "./file-watcher.ts";
import { Liveness } from "./liveness.ts";
import type { ProbeContext } from "./probe.ts";
import { Readiness } from "./readiness.ts";

interface RunMonitorsOptions {
  spec: RunSpec;
  clock: Clock;
  /** Called at most once. */
  onReady: () => void;
  /** Called at most once. */
  onUnhealthy: (reason: string) => void;
  /** Called when a watched file has changed. */
  onChange: (path: string) => void;
  onProblem: (msg: string) => void;
}

/** Monitors a run: its readiness, afterwards its liveness, and the files that it watches. */
export class RunMonitors {
  readonly #options: RunMonitorsOptions;
  readonly #readiness: Readiness;
  #context: ProbeContext | null = null;
  #liveness: Liveness | null = null;
  #watcher: FileWatcher | null = null;

  /** Create it before the run begins: time limits begin now. Throws `bad_field` for an expression that cannot be compiled. */
  constructor(options: RunMonitorsOptions) {
    const { spec, clock } = options;
    this.#options = options;
    this.#readiness = new Readiness({ condition: spec.ready, clock, onReady: () => this.#becomeReady() });
  }

  /** Called when the run has begun. */
  begin(context: ProbeContext): void {
    const { spec, clock, onChange, onProblem } = this.#options;
    this.#context = context;
    this.#readiness.probe(context);
    if (spec.ready === null) this.#watchLiveness();
    if (spec.watch.length > 0) {
      this.#watcher = new FileWatcher({ globs: spec.watch, base: spec.base_dir || process.cwd(), clock, onChange, onProblem });
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

  #watchLiveness(): void {
    const { alive } = this.#options.spec;
    if (alive === null || this.#context === null) return;
    this.#liveness = new Liveness({ spec: alive, context: this.#context, onFailed: this.#options.onUnhealthy });
  }
}
