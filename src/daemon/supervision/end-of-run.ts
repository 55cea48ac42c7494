import {
  type EndedRun,
  isSuccess,
  mayRestart,
  NO_RESTARTS,
  planRestart,
  type RestartCounters,
  type StopCause,
} from "../../contract/restart-policy.ts";
import type { RunReport } from "../../contract/run.ts";
import { nextRunOfHost } from "../../contract/run-ids.ts";
import { readMemo } from "../../contract/run-memo.ts";
import type { Supervision } from "../../contract/supervision.ts";
import type { KeptProcess } from "./kept-requests.ts";

/** The outcome of a run's end: another run at a monotonic time, with these counters; or none, for this reason. */
type NextRun = { readonly due: number; readonly counters: RestartCounters } | { readonly due: null; readonly run: EndedRun };

interface EndOfRun {
  readonly report: RunReport;
  /** Monotonic time of the end. */
  readonly ended: number;
}

/** Decides as the manager would. `now` is monotonic. */
export function afterEnd({ report, ended }: EndOfRun, { restart, success_exit_codes }: Supervision, now: number): NextRun {
  const cause = causeOf(report);
  // Like a requested restart: earlier failures no longer count.
  if (cause === "again") return { due: now, counters: NO_RESTARTS };
  const began = now - report.age_ms;
  const counters = readMemo(report.memo, began);
  const run: EndedRun = {
    ...counters,
    rules: restart,
    isRequested: true,
    began,
    ended,
    exit: report.exit,
    hasSucceeded: report.exit !== null && isSuccess(report.exit, success_exit_codes),
    neverRan: (report.exit?.reason ?? null) !== null,
    stopCause: cause,
    daemonDied: false,
  };
  if (!mayRestart(run)) return { due: null, run };
  const { due, ...planned } = planRestart(run, now);
  return { due, counters: { ...planned, restarts: counters.restarts + 1 } };
}

/**
 * Why the run was stopped; null: it ended by itself. "again": it was stopped for no failure, although another run is wanted, so for a restart.
 */
function causeOf({ stopping, stop_cause: cause }: RunReport): StopCause | "again" {
  if (cause !== undefined) return { reason: cause.reason, isRecycled: cause.recycled };
  return stopping ? "again" : null;
}

/** The run after one that has ended, with the size that its terminal had. */
export function followerOf({
  id,
  spec,
  report: { rows, cols },
}: Pick<KeptProcess, "spec"> & { id: string; report: RunReport }): KeptProcess {
  return { runId: nextRunOfHost(id), spec: { ...spec, terminal: { ...spec.terminal, rows, cols } } };
}
