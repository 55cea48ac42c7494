import { MgrError } from "../../base/errors.ts";
import type { HostEvent } from "../../contract/messages.ts";
import type { RunReport, RunSpec } from "../../contract/run.ts";
import { KernelTimes } from "../handover/kernel-times.ts";
import type { Run, TakenRunOptions } from "./run.ts";
import type { RunState } from "./run-state.ts";

/** A run as the host uses it. */
export type HostedRun = Pick<Run, "id" | "spec" | "report" | "pid" | "resizedAt" | "usage" | "dumpedCore" | "isExtinct" | "isStopping"> &
  Pick<Run, "stop" | "kill" | "killNow" | "signal" | "write" | "resize" | "hold" | "memo" | "whenExtinct" | "handOverFacts">;

interface ExtinctRunOptions extends Pick<TakenRunOptions, "clock"> {
  readonly onChange: (kind: HostEvent["kind"], run: ExtinctRun) => void;
}

/** A run that was extinct when the program of the daemon was replaced. */
export class ExtinctRun implements HostedRun {
  readonly id: string;
  readonly spec: RunSpec;
  readonly pid: number;
  readonly resizedAt: number | null;
  readonly usage = null;
  readonly dumpedCore = false;
  readonly isExtinct = true;
  readonly isStopping: boolean;
  readonly whenExtinct = Promise.resolve();
  readonly #state: RunState;
  readonly #options: ExtinctRunOptions;
  readonly #startedAt: number;
  #memo: string;

  constructor(state: RunState, options: ExtinctRunOptions) {
    this.id = state.facts.run_id;
    this.spec = state.spec;
    this.pid = state.facts.pid;
    this.resizedAt = state.resized_at;
    this.isStopping = state.stopping;
    this.#state = state;
    this.#options = options;
    this.#startedAt = new KernelTimes(options.clock).fromKernel(state.started_at);
    this.#memo = state.facts.memo;
  }

  get report(): RunReport {
    const age_ms = Math.max(0, this.#options.clock.monotonic() - this.#startedAt);
    return { age_ms, stopping: this.isStopping, ...this.#state.facts, memo: this.#memo };
  }

  get memo(): string {
    return this.#memo;
  }

  set memo(memo: string) {
    this.#memo = memo;
    this.#options.onChange("changed", this);
  }

  handOverFacts(): RunState {
    return { ...this.#state, facts: { ...this.#state.facts, memo: this.#memo } };
  }

  signal(): never {
    throw this.#ended();
  }

  write(): Promise<never> {
    return Promise.reject(this.#ended());
  }

  resize(): never {
    throw this.#ended();
  }

  // There is nothing left to stop, to kill or to hold.
  stop(): void {}
  kill(): void {}
  killNow(): void {}
  hold(): void {}

  #ended(): MgrError {
    return new MgrError("not_running", `'${this.spec.name}' is not running; its run ${this.id} has ended`);
  }
}
