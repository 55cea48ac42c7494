import { MgrError } from "../../../base/errors.ts";
import { textOfLastBytes } from "../../../client/output-join.ts";
import { extentOfRun, type ListedRun } from "../../../client/run-extent.ts";
import { CommandFailure, EXIT } from "../../command/exit-codes.ts";

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
  readonly history: readonly ListedRun[];
  /** The number of a run, or 0 for the newest, -1 for the one before. */
  readonly run: number;
}

/** The part of the output that one run has printed. `isTruncated`: its beginning is no longer kept. Throws a `CommandFailure` that says what to do. */
export function outputOfRun(output: Output, wish: Wish): { text: string; isTruncated: boolean } {
  const { run, begin, end } = extentOf(output, wish);
  const afterBegin = textOfLastBytes(output.output, output.offset - begin);
  const afterEnd = textOfLastBytes(output.output, Math.max(0, output.offset - end));
  const text = afterBegin.slice(0, afterBegin.length - afterEnd.length);
  const isTruncated = output.truncated && afterBegin.length === output.output.length;
  if (text === "" && isTruncated)
    throw failure(
      `the output of run ${run.number} of '${wish.name}' is no longer kept: newer output took its place. Set backlog or log_file to keep more`,
    );
  return { text, isTruncated };
}

function extentOf(output: Output, wish: Wish) {
  try {
    return extentOfRun({ ...wish, output });
  } catch (error) {
    if (!(error instanceof MgrError)) throw error;
    const advice = wish.history.length === 0 ? "" : `. Print all that is kept with: mgr logs ${wish.name}`;
    throw failure(`${error.message}${advice}`);
  }
}

const failure = (message: string) => new CommandFailure(EXIT.notFound, message);
