import { MgrError } from "../base/errors.ts";

/** A run, as in `process_detail`. */
export interface ListedRun {
  readonly number: number;
  readonly output_end: { readonly offset: number; readonly stream_id: string } | null;
}

/** The part of a process's output that one run has printed: offsets in its stream. */
export interface RunExtent<Run extends ListedRun = ListedRun> {
  readonly run: Run;
  readonly begin: number;
  readonly end: number;
}

interface Request<Run extends ListedRun> {
  readonly name: string;
  /** The last runs, newest first. */
  readonly history: readonly Run[];
  /** The number of a run, or 0 for the newest, -1 for the one before. */
  readonly run: number;
  /** Where the output of the process ends now. */
  readonly output: { readonly offset: number; readonly stream_id: string };
}

/**
 * Finds a run and its part of the output. Only the ends of runs are known: a run begins where the one before has ended. Throws `not_found` for an
 * unknown run, and `conflict` if its beginning or end is not known.
 */
export function extentOfRun<Run extends ListedRun>({ name, history, run, output }: Request<Run>): RunExtent<Run> {
  const found = run > 0 ? history.find(({ number }) => number === run) : history[-run];
  if (found === undefined)
    throw new MgrError("not_found", history.length === 0 ? `'${name}' has not run yet` : unknownRun(name, history, run));
  const what = `run ${found.number} of '${name}'`;
  const before = history.find(({ number }) => number === found.number - 1);
  const ofStream = (end: ListedRun["output_end"]) => (end?.stream_id === output.stream_id ? end.offset : null);
  const begin = found.number === 1 ? 0 : ofStream(before?.output_end ?? null);
  const isNewest = found === history[0];
  const end = isNewest && found.output_end === null ? output.offset : ofStream(found.output_end);
  if (end === null) throw new MgrError("conflict", `where ${what} ends is not known: the host's daemon was started after it`);
  if (begin === null)
    throw new MgrError(
      "conflict",
      `where ${what} begins is not known: the end of the run before is not, or the host's daemon was started after it`,
    );
  return { run: found, begin, end };
}

function unknownRun(name: string, history: readonly ListedRun[], run: number): string {
  const oldest = history.at(-1)?.number;
  const newest = history[0]?.number;
  return `there is no run ${run} of '${name}': runs ${oldest} to ${newest} are known (--run ${oldest} to ${newest}, or 0 to ${1 - history.length})`;
}
