import { exitText } from "../handles/exit-text.ts";
import type { ListedRun } from "../run-extent.ts";
import { causesOfRuns, type ListedChange, type RunCauses } from "./run-causes.ts";
import { millisecondsBetween } from "./units.ts";

/** A run, as in `process_detail`. */
export interface PastRun extends ListedRun {
  readonly run_id: string;
  readonly pid: number | null;
  readonly start_time: string | null;
  readonly stop_time: string | null;
  readonly code: number | null;
  readonly signal: string | null;
  readonly reason: string | null;
}

/** A run with what follows from the runs and changes around it. */
export interface ShownRun extends RunCauses {
  readonly run: PastRun;
  /** How it ended, in words; null: it has not ended. */
  readonly how: string | null;
  /** Null: not known. */
  readonly lengthMs: number | null;
  /** Bytes that it has printed; null: not known, as of the newest run and of the first one after a new daemon. */
  readonly outputBytes: number | null;
}

interface Detail {
  /** Newest first. */
  readonly history: readonly PastRun[];
  /** Oldest first. */
  readonly changes: readonly ListedChange[];
}

/** The last runs of a process, newest first. `now`: time up to which the newest one is running, as on the wire. */
export function shownRuns({ history, changes }: Detail, now: string): ShownRun[] {
  const causes = causesOfRuns(history, changes);
  return history.map((run, index) => {
    const { number, start_time, stop_time, code, signal, reason } = run;
    const isRunning = stop_time === null && index === 0;
    const until = isRunning ? now : stop_time;
    return {
      run,
      ...(causes.get(number) ?? { end: null, next: null }),
      how: stop_time === null ? null : exitText({ exit: { code, signal, reason, time: stop_time } }),
      lengthMs: start_time === null || until === null ? null : Math.max(0, millisecondsBetween(start_time, until)),
      outputBytes: outputBytes(history, run),
    };
  });
}

function outputBytes(history: readonly PastRun[], { number, output_end: end }: PastRun): number | null {
  if (end === null) return null;
  if (number === 1) return end.offset;
  const before = history.find((run) => run.number === number - 1)?.output_end ?? null;
  return before?.stream_id === end.stream_id ? end.offset - before.offset : null;
}

/** How a run ended, with the cause: "exit code 3 (crashed)". A reason of the manager says it already. */
export const endText = ({ run, how, end }: Pick<ShownRun, "run" | "how" | "end">): string | null =>
  how === null || end === null || run.reason !== null ? how : `${how} (${end})`;
