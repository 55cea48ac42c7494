import type { ProcessContext, ProcessExit } from "../../actors/process-types.ts";
import type { RunReport } from "../../contract/run.ts";
import { formatTime } from "../../protocol/time.ts";

/** Runs that are remembered of each process. */
const MAX_RUNS = 20;

export interface PastRun {
  run_id: string;
  pid: number | null;
  start_time: string | null;
  stop_time: string | null;
  code: number | null;
  signal: string | null;
  reason: string | null;
}

type PastEnd = Pick<PastRun, "stop_time" | "code" | "signal" | "reason">;

const NOTHING_KNOWN = { pid: null, start_time: null };

/** The last runs of every process that this manager has seen, in memory only. */
export class RunHistory {
  readonly #runs = new Map<string, PastRun[]>();

  /** What is known now of the newest run of `name`, and of the one before if its end was told together with the next beginning. */
  note(name: string, { runId, run, exit }: ProcessContext): void {
    if (runId === null) return;
    const runs = this.#runs.get(name) ?? [];
    this.#runs.set(name, runs);
    if (run !== null) put(runs, fromReport(run, run.run_id === runId ? exit : null));
    if (run?.run_id !== runId) put(runs, { ...NOTHING_KNOWN, run_id: runId, ...endOf(exit) });
    runs.length = Math.min(runs.length, MAX_RUNS);
  }

  /** Newest first. */
  of(name: string): readonly PastRun[] {
    return this.#runs.get(name) ?? [];
  }

  forget(name: string): void {
    this.#runs.delete(name);
  }
}

function put(runs: PastRun[], entry: PastRun): void {
  const index = runs.findIndex((run) => run.run_id === entry.run_id);
  if (index >= 0) runs[index] = entry;
  else runs.unshift(entry);
}

/** `exit` is what the process shows of this run: it may know more than the host that lost it. */
function fromReport(run: RunReport, exit: ProcessExit | null): PastRun {
  const end = exit ?? (run.exit && { ...run.exit, time: run.stop_time });
  return {
    run_id: run.run_id,
    // A run that could not be started has none.
    pid: run.pid === 0 ? null : run.pid,
    start_time: formatTime(run.start_time),
    ...endOf(end),
    ...(run.stop_time === null ? {} : { stop_time: formatTime(run.stop_time) }),
  };
}

function endOf(exit: { code: number | null; signal: string | null; reason: string | null; time: number | null } | null): PastEnd {
  if (exit === null) return { stop_time: null, code: null, signal: null, reason: null };
  const { code, signal, reason, time } = exit;
  return { stop_time: time === null ? null : formatTime(time), code, signal, reason };
}
