import { z } from "zod";
import type { ProcessContext, ProcessExit } from "../../actors/process/process-types.ts";
import { runId } from "../../contract/fields.ts";
import type { RunReport } from "../../contract/run.ts";
import { compareRunIds } from "../../contract/run-ids.ts";
import { formatTime } from "../../protocol/time.ts";

/** Maximum number of runs that are kept of each process. */
const MAX_RUNS = 20;

const pastRun = z.object({
  run_id: runId,
  number: z.number(),
  pid: z.number().nullable(),
  start_time: z.string().nullable(),
  stop_time: z.string().nullable(),
  code: z.number().nullable(),
  signal: z.string().nullable(),
  reason: z.string().nullable(),
  output_end: z.object({ offset: z.number(), stream_id: z.string() }).nullable(),
});
type PastRun = z.infer<typeof pastRun>;
const savedRun = z.object({ name: z.string(), run: pastRun });

type PastEnd = Pick<PastRun, "stop_time" | "code" | "signal" | "reason">;

/** A run without its number, which follows from the runs before it. */
type NewRun = Omit<PastRun, "number">;

const NOTHING_KNOWN = { pid: null, start_time: null, output_end: null };

interface RunHistoryOptions {
  /** Runs that earlier managers saved, oldest first; invalid values are skipped. */
  saved: readonly unknown[];
  /** Saves the end of a run for the next manager; called again when more is known about it. */
  save: (end: object) => void;
}

/** The last runs of every process. */
export class RunHistory {
  readonly #runs = new Map<string, PastRun[]>();
  /** The last noted values of each process: `note` is called after every step of its actor, and most steps change nothing here. */
  readonly #noted = new Map<string, Pick<ProcessContext, "runId" | "run" | "exit"> & { streamId: string | null }>();
  readonly #save: RunHistoryOptions["save"];

  constructor({ saved, save }: RunHistoryOptions = { saved: [], save: () => {} }) {
    this.#save = save;
    for (const value of saved) {
      const { data } = savedRun.safeParse(value);
      if (data !== undefined) put(this.#of(data.name), data.run);
    }
  }

  /**
   * Records the newest run of `name`, and the end of the run before if both were reported together. `streamId` is that of the daemon that its
   * host has now.
   */
  note(name: string, { runId: newest, run, exit }: ProcessContext, streamId: string | null): void {
    if (newest === null) return;
    const noted = this.#noted.get(name);
    if (noted?.runId === newest && noted.run === run && noted.exit === exit && noted.streamId === streamId) return;
    this.#noted.set(name, { runId: newest, run, exit, streamId });
    dropUnstarted(this.#of(name), newest);
    if (run !== null) this.#put(name, fromReport(run, { exit: run.run_id === newest ? exit : null, streamId }));
    if (run?.run_id !== newest) this.#put(name, { run_id: newest, ...NOTHING_KNOWN, ...endOf(exit) });
  }

  /**
   * Adds the end of a run that was not the newest when its host reported it, unless one that began after it is known. Runs of a process come
   * oldest first.
   */
  add(run: RunReport, streamId: string): void {
    const runs = this.#of(run.name);
    dropUnstarted(runs, run.run_id);
    const isKnown = runs.some(({ run_id }) => run_id === run.run_id);
    // A start that failed with the previous daemon has an id, too: the host, which never received it, continues from the run before.
    const newest = runs.find(({ start_time }) => start_time !== null);
    if (isKnown || newest === undefined || compareRunIds(run.run_id, newest.run_id) > 0)
      this.#put(run.name, fromReport(run, { exit: null, streamId }));
  }

  #put(name: string, told: NewRun): void {
    const runs = this.#of(name);
    const before = runs.find((run) => run.run_id === told.run_id);
    // A report that is repeated under another daemon has the same offset, which belongs to the output of the previous daemon.
    const isSamePlace = before?.output_end?.offset === told.output_end?.offset;
    const entry = put(runs, isSamePlace ? { ...told, output_end: before?.output_end ?? told.output_end } : told);
    const isNews =
      !isSamePlace || (["stop_time", "code", "signal", "reason"] as const).some((field) => entry[field] !== (before?.[field] ?? null));
    if (entry.stop_time !== null && isNews) this.#save({ name, run: entry });
  }

  #of(name: string): PastRun[] {
    const runs = this.#runs.get(name) ?? [];
    this.#runs.set(name, runs);
    return runs;
  }

  /** Runs of a process, newest first. */
  of(name: string): readonly PastRun[] {
    return this.#runs.get(name) ?? [];
  }

  forget(name: string): void {
    this.#runs.delete(name);
    this.#noted.delete(name);
  }
}

/** Drops runs that were to follow `runId` and never began, because their host had started another one. */
function dropUnstarted(runs: PastRun[], runId: string): void {
  while (runs[0]?.start_time === null && runs[0].stop_time === null && compareRunIds(runs[0].run_id, runId) > 0) runs.shift();
}

/** Replaces the entry of the same run, or adds a new one. */
function put(runs: PastRun[], told: NewRun & { number?: number }): PastRun {
  const index = runs.findIndex((run) => run.run_id === told.run_id);
  const number = runs[index]?.number ?? told.number ?? (runs[0]?.number ?? 0) + 1;
  const entry: PastRun = Object.assign({}, told, { number });
  if (index >= 0) runs[index] = entry;
  else runs.unshift(entry);
  runs.length = Math.min(runs.length, MAX_RUNS);
  return entry;
}

/** `exit` is the exit that the process shows for this run: it may have more details than a host that lost the run. */
function fromReport(run: RunReport, { exit, streamId }: { exit: ProcessExit | null; streamId: string | null }): NewRun {
  const end = exit ?? (run.exit && { time: run.stop_time, ...run.exit });
  return {
    run_id: run.run_id,
    // A run that could not be started has no pid.
    pid: run.pid === 0 ? null : run.pid,
    start_time: formatTime(run.start_time),
    ...endOf(end),
    ...(run.stop_time === null ? {} : { stop_time: formatTime(run.stop_time) }),
    output_end: run.final_offset === null || streamId === null ? null : { offset: run.final_offset, stream_id: streamId },
  };
}

function endOf(exit: { code: number | null; signal: string | null; reason: string | null; time: number | null } | null): PastEnd {
  if (exit === null) return { stop_time: null, code: null, signal: null, reason: null };
  const { code, signal, reason, time } = exit;
  return { stop_time: time === null ? null : formatTime(time), code, signal, reason };
}
