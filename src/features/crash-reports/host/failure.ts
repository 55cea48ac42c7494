import type { HostEvent } from "../../../contract/messages.ts";
import type { ChangedRun } from "../../../daemon/host-feature.ts";

/** Runs that are being stopped because they failed, at most: each run of a host can be one. */
type Failing = Map<string, string>;

/** Tells runs that failed from those that ended as requested. */
export class Failures {
  /** Reasons by run id: a run that is stopped because it failed is no requested stop. */
  readonly #failing: Failing = new Map();

  /** Called with each change of a run. Returns the reason if it has failed now, "" if code or signal say it, or null. */
  changed(kind: HostEvent["kind"], run: ChangedRun): string | null {
    const { report } = run;
    if (kind === "stopping") {
      const reason = reasonOfStop(run);
      if (reason !== null) this.#failing.set(report.run_id, reason);
    }
    if (kind === "extinct") this.#failing.delete(report.run_id);
    if (kind !== "exited" || report.exit === null) return null;
    const reason = this.#failing.get(report.run_id) ?? report.unhealthy;
    if (report.stopping) return this.#failing.has(report.run_id) ? reason : null;
    const { code, signal } = report.exit;
    const succeeded = run.spec.crash?.success_exit_codes ?? [0];
    // An embedding program may have reaped the process: then nothing is known about its end.
    if (signal === null && (code === null || succeeded.includes(code))) return null;
    return reason ?? "";
  }
}

/** Why the manager stops a run that was not requested to stop; null: it was. */
function reasonOfStop({ report, spec }: ChangedRun): string | null {
  if (report.unhealthy !== null) return `it was stopped because its liveness check failed: ${report.unhealthy}`;
  const timeout = spec.crash?.ready_timeout_ms ?? null;
  if (timeout === null || report.ready || report.age_ms < timeout) return null;
  return `it was stopped because it was not ready within ${timeout / 1_000} s`;
}
