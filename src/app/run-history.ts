import type { ProcessContext } from "../actors/process-types.ts";
import { formatTime } from "../protocol/time.ts";

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

/** The last runs of every process that this manager has seen, in memory only. */
export class RunHistory {
  readonly #runs = new Map<string, PastRun[]>();

  /** What is known now of the current run of `name`. */
  note(name: string, context: ProcessContext): void {
    if (context.runId === null) return;
    const runs = this.#runs.get(name) ?? [];
    this.#runs.set(name, runs);
    const entry = toPastRun(context.runId, context);
    if (runs[0]?.run_id === entry.run_id) runs[0] = entry;
    else runs.unshift(entry);
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

function toPastRun(run_id: string, { run, exit }: ProcessContext): PastRun {
  const known = run?.run_id === run_id ? run : null;
  const stop = known?.stop_time ?? (exit === null ? null : exit.time);
  return {
    run_id,
    // A run that could not be started has none.
    pid: known === null || known.pid === 0 ? null : known.pid,
    start_time: known && formatTime(known.start_time),
    stop_time: stop === null ? null : formatTime(stop),
    code: exit?.code ?? null,
    signal: exit?.signal ?? null,
    reason: exit?.reason ?? null,
  };
}
