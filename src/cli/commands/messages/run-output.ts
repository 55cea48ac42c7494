import { textOfLastBytes } from "../../../client/output-join.ts";
import { CommandFailure, EXIT } from "../../command/exit-codes.ts";

/** A run, as in `process_detail`. */
interface PastRun {
  readonly number: number;
  readonly output_end: { readonly offset: number; readonly stream_id: string } | null;
}

/** Output, and where it ends. */
interface Output {
  readonly output: string;
  readonly offset: number;
  readonly stream_id: string;
  /** Older output is no longer kept. */
  readonly truncated: boolean;
}

interface Wish {
  readonly name: string;
  /** The last runs, newest first. */
  readonly history: readonly PastRun[];
  /** The number of a run, or 0 for the newest, -1 for the one before. */
  readonly run: number;
}

/** The part of the output that one run has printed. `isTruncated`: its beginning is no longer kept. Throws a `CommandFailure` that says what to do. */
export function outputOfRun(output: Output, { name, history, run }: Wish): { text: string; isTruncated: boolean } {
  const whole = `Print all that is kept with: mgr logs ${name}`;
  const found = run > 0 ? history.find(({ number }) => number === run) : history[-run];
  if (found === undefined)
    throw failure(history.length === 0 ? `'${name}' has not run yet` : `${unknownRun(name, history, run)}. ${whole}`);
  const what = `run ${found.number} of '${name}'`;
  const before = history.find(({ number }) => number === found.number - 1);
  const ofStream = (end: PastRun["output_end"]) => (end?.stream_id === output.stream_id ? end.offset : null);
  const begin = found.number === 1 ? 0 : ofStream(before?.output_end ?? null);
  const isNewest = found === history[0];
  const end = isNewest && found.output_end === null ? output.offset : ofStream(found.output_end);
  if (end === null) throw failure(`where ${what} ends is not known: the host's daemon was started after it. ${whole}`);
  if (begin === null)
    throw failure(
      `where ${what} begins is not known: the end of the run before is not, or the host's daemon was started after it. ${whole}`,
    );
  const afterBegin = textOfLastBytes(output.output, output.offset - begin);
  const afterEnd = textOfLastBytes(output.output, Math.max(0, output.offset - end));
  const text = afterBegin.slice(0, afterBegin.length - afterEnd.length);
  const isTruncated = output.truncated && afterBegin.length === output.output.length;
  if (text === "" && isTruncated)
    throw failure(`the output of ${what} is no longer kept: newer output took its place. Set backlog or log_file to keep more`);
  return { text, isTruncated };
}

function unknownRun(name: string, history: readonly PastRun[], run: number): string {
  const oldest = history.at(-1)?.number;
  const newest = history[0]?.number;
  return `there is no run ${run} of '${name}': runs ${oldest} to ${newest} are known (--run ${oldest} to ${newest}, or 0 to ${1 - history.length})`;
}

const failure = (message: string) => new CommandFailure(EXIT.notFound, message);
