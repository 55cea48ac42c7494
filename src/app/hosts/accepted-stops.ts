import type { RunReport } from "../../contract/run.ts";
import type { Stop } from "../../contract/stops.ts";

/** Stops that a host has accepted without an event (contract/stops.ts), until their runs end: the host's earlier reports of these runs lack them. */
export class AcceptedStops {
  readonly #stops = new Map<string, Stop>();

  /** `runs`: the newest reports. An answer may come after the end of a run: what has ended is forgotten before more is kept than there are runs. */
  accepted(stop: Stop, runs: ReadonlyMap<string, RunReport>): void {
    this.#stops.set(stop.run_id, stop);
    if (this.#stops.size > runs.size) this.keep(runs.values());
  }

  ended({ run_id }: RunReport): void {
    this.#stops.delete(run_id);
  }

  /** Forgets the stops of all runs but those of `runs` that live. */
  keep(runs: Iterable<RunReport>): void {
    const living = new Set(Array.from(runs, ({ run_id, exit }) => (exit === null ? run_id : null)));
    for (const runId of this.#stops.keys()) if (!living.has(runId)) this.#stops.delete(runId);
  }

  /** The report as the host would give it now. */
  applied(run: RunReport): RunReport {
    const stop = this.#stops.get(run.run_id);
    if (stop === undefined || run.stopping || run.exit !== null) return run;
    return { ...run, stopping: true, ...(stop.cause === undefined ? {} : { stop_cause: stop.cause }) };
  }
}
