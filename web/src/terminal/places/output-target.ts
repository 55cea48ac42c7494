import { textOfLastBytes } from "../../../../src/client/output-join.ts";
import type { ManagerFrame } from "../../../../src/protocol/frames/frames.ts";
import { bytesOf } from "./run-rules.ts";

/** A place in the output of a process: when it was written, or its offset in a stream. */
export type OutputTarget = { readonly time: string } | { readonly offset: number; readonly stream_id: string };

export type Backlog = Pick<Extract<ManagerFrame, { type: "process_output_snapshot" }>, "output" | "offset" | "stream_id" | "times">;

/** Where a target is in a backlog. */
interface FoundTarget {
  /** Index in the text of the first character of its line; null: the line is not there. */
  readonly index: number | null;
  /** A note for the user, such as why the line is not there. */
  readonly note: string | null;
}

/** Maximum number of rows of a terminal above a target's line and below it. */
const MAX_TARGET_ROWS = 50_000;

/** Finds the line of a target in a backlog. */
export function findTarget(backlog: Backlog, target: OutputTarget): FoundTarget {
  return "time" in target ? findTime(backlog, target.time) : findOffset(backlog, target);
}

function findOffset({ output, offset, stream_id }: Backlog, target: { offset: number; stream_id: string }): FoundTarget {
  if (target.stream_id !== stream_id)
    return { index: null, note: "The place of this line is not known any more: the daemon of its host was started again" };
  const back = offset - target.offset;
  if (back < 0 || back > bytesOf(output)) return { index: null, note: "This line is not in memory any more. Newer output has replaced it" };
  return { index: lineStart(output, indexOf(output, back)), note: null };
}

/** Finds the output of a time: what was written last until then. Times are precise to a second, less for output of long ago. */
function findTime({ output, offset, times = [] }: Backlog, time: string): FoundTarget {
  if (output === "") return { index: null, note: "There is no output in memory" };
  // Times of the protocol sort as text.
  const mark = times.findLast((one) => one.time <= time);
  if (times.length === 0) return { index: null, note: "It is not known when this output was written" };
  if (mark === undefined) return { index: 0, note: "Output of that time is not in memory any more. This is the oldest" };
  return { index: lineStart(output, indexOf(output, offset - mark.offset)), note: null };
}

/** Index of the character that begins `back` bytes before the end of a text. */
const indexOf = (text: string, back: number): number => text.length - textOfLastBytes(text, back).length;

function lineStart(text: string, index: number): number {
  return index === 0 ? 0 : text.lastIndexOf("\n", index - 1) + 1;
}

/** Number of rows that a text needs at most in a terminal of this width; null: more than a terminal should hold. */
export function rowsOf(text: string, cols: number): number | null {
  let rows = 1;
  for (let at = 0; at < text.length && rows <= MAX_TARGET_ROWS; ) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline;
    rows += Math.max(1, Math.ceil((end - at) / cols));
    at = end + 1;
  }
  return rows > MAX_TARGET_ROWS ? null : rows;
}

/** A target as a parameter of an address. */
export function textOfTarget(target: OutputTarget): string {
  return "time" in target ? target.time : `${target.offset}@${target.stream_id}`;
}

/** Reads a target from an address; null if it is invalid. */
export function parseTarget(text: string): OutputTarget | null {
  const [, offset, stream_id] = /^(\d{1,15})@(.{1,64})$/.exec(text) ?? [];
  if (offset !== undefined && stream_id !== undefined) return { offset: Number(offset), stream_id };
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?$/.test(text) ? { time: text } : null;
}
