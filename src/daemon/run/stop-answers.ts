import { MgrError } from "../../base/errors.ts";
import type { HostEvent, RequestOf, ResponseOf } from "../../contract/messages.ts";
import type { ReportedStopCause, RunSpec, StopStep } from "../../contract/run.ts";
import type { Stop } from "../../contract/stops.ts";
import { checkSteps } from "./signal-name.ts";

/** The part of a run that is used here, which may be a scripted run (testing/fake-run.ts). */
interface StoppableRun {
  readonly spec: RunSpec;
  readonly isExtinct: boolean;
  stop(steps: readonly StopStep[], cause?: ReportedStopCause): void;
}

interface StopParts {
  readonly runs: {
    knows(runId: string): boolean;
    notStarting(runId: string): Promise<void>;
    byId(runId: string): StoppableRun;
  };
  readonly supervisor: { stopRequested(name: string, stop: Stop): void };
}

/** Carries out STOP_REQUESTS. */
export class StopAnswers {
  readonly #parts: () => StopParts;
  /** Whether a run is being stopped whose manager learns that from the answer. */
  #isSaying = false;

  constructor(parts: () => StopParts) {
    this.#parts = parts;
  }

  async stop(stop: RequestOf<"stop">): Promise<ResponseOf<"stop">> {
    await this.#carryOut(stop, false);
    return {};
  }

  async stopMany({ stops }: RequestOf<"stop_runs">): Promise<ResponseOf<"stop_runs">> {
    const refused = await Promise.all(stops.map((stop) => this.#refusal(stop)));
    return { refused: refused.flat() };
  }

  /** Whether an event is left out, because the answer to the request that is being carried out says the same. */
  says(kind: HostEvent["kind"]): boolean {
    return this.#isSaying && kind === "stopping";
  }

  async #refusal(stop: Stop): Promise<ResponseOf<"stop_runs">["refused"]> {
    try {
      await this.#carryOut(stop, true);
      return [];
    } catch (error) {
      if (!(error instanceof MgrError)) throw error;
      return [{ run_id: stop.run_id, code: error.code, message: error.message }];
    }
  }

  /** Without an await for a known run: requests take effect in the order of their arrival. */
  async #carryOut(stop: Stop, isSaid: boolean): Promise<void> {
    const { run_id, steps, cause } = stop;
    const { runs, supervisor } = this.#parts();
    checkSteps(steps);
    // A start in progress cannot be cancelled: the new process is stopped.
    if (!runs.knows(run_id)) await runs.notStarting(run_id);
    const run = runs.byId(run_id);
    if (run.isExtinct) throw new MgrError("not_running", `'${run.spec.name}' is not running; its run ${run_id} has ended`);
    supervisor.stopRequested(run.spec.name, stop);
    this.#isSaying = isSaid;
    try {
      run.stop(steps, cause);
    } finally {
      this.#isSaying = false;
    }
  }
}
