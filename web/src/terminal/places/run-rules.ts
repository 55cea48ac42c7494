import { visible } from "../../../../src/base/text/visible-text.ts";
import { exitText } from "../../../../src/client/handles/exit-text.ts";
import { type OutputPlace, textOfLastBytes } from "../../../../src/client/output-join.ts";
import { causesOfRuns, type RunCauses } from "../../../../src/client/shown/run-causes.ts";
import { endText } from "../../../../src/client/shown/run-list.ts";
import { spanText } from "../../../../src/client/shown/units.ts";
import type { ManagerFrame } from "../../../../src/protocol/frames/frames.ts";
import { clockTime, millisecondsOf } from "../../ui/time.ts";

type Detail = Extract<Extract<ManagerFrame, { type: "process_detail" }>, { ok: true }>;
export type PastRun = Detail["history"][number];

/** The known runs of a process. */
export interface RunHistory {
  /** Newest first. */
  readonly runs: readonly PastRun[];
  /** Changes of state, which contain the causes; oldest first. */
  readonly changes?: Detail["changes"];
  /** Exit codes that count as success. */
  readonly successCodes?: readonly number[];
}

/** A line between the output of a run and that of the next one. */
export interface RunRule {
  number: number;
  tone: "good" | "bad" | "soft";
  /** How and why the run ended, what came then, how long it ran and when it ended; the most important part first. */
  parts: readonly string[];
}

/** A piece of output, or the rule that separates two runs. */
export type OutputPart = string | RunRule;

type EndedRun = PastRun & { output_end: OutputPlace };

/** The places where the output of each run of a process ends: puts rules between the pieces of its output. */
export class RunRules {
  /** Ended runs whose end the output has not reached yet, oldest first. */
  #pending: EndedRun[] = [];
  /** Number of the newest run that is pending or was placed. */
  #newest = 0;
  #successCodes: readonly number[] = [0];
  #causes: ReadonlyMap<number, RunCauses> = new Map();

  /** Adds runs that have ended since the last call. */
  learn({ runs, changes = [], successCodes = [0] }: RunHistory): void {
    this.#successCodes = successCodes;
    this.#causes = causesOfRuns(runs, changes);
    const ended = runs.flatMap((run) => (run.output_end !== null && run.number > this.#newest ? [run as EndedRun] : []));
    this.#pending.push(...ended.reverse());
    this.#newest = this.#pending.at(-1)?.number ?? this.#newest;
  }

  /** A backlog that ends at a place, with rules. Runs that ended before the backlog begins, or in another stream, are omitted. */
  backlog(text: string, end: OutputPlace): OutputPart[] {
    const start = end.offset - bytesOf(text);
    this.#pending = this.#pending.filter(({ output_end: { offset, stream_id } }) => stream_id === end.stream_id && offset >= start);
    return this.place(text, end);
  }

  /** A piece of output that ends at a place, with rules where runs have ended. */
  place(text: string, end: OutputPlace): OutputPart[] {
    const parts: OutputPart[] = [];
    let rest = text;
    for (let run = this.#pending[0]; run && this.#isReached(run, end); run = this.#pending[0]) {
      this.#pending.shift();
      const after = run.output_end.stream_id === end.stream_id ? textOfLastBytes(rest, end.offset - run.output_end.offset) : rest;
      const before = rest.slice(0, rest.length - after.length);
      if (before !== "") parts.push(before);
      parts.push(ruleOf(run, { successCodes: this.#successCodes, causes: this.#causes.get(run.number) ?? UNKNOWN }));
      rest = after;
    }
    if (rest !== "") parts.push(rest);
    return parts;
  }

  /** Whether the output has reached the end of a run; a new stream means that the output of the previous one is complete. */
  #isReached({ output_end: { offset, stream_id } }: EndedRun, end: OutputPlace): boolean {
    return stream_id !== end.stream_id || offset <= end.offset;
  }
}

const UNKNOWN: RunCauses = { end: null, next: null };

/** Signals that request processes to end. */
const STOPS: ReadonlySet<string> = new Set(["SIGTERM", "SIGINT", "SIGHUP"]);

interface RuleFacts {
  readonly successCodes: readonly number[];
  readonly causes: RunCauses;
}

function ruleOf(run: EndedRun, { successCodes, causes: { end, next } }: RuleFacts): RunRule {
  const { number, code, signal, reason, start_time, stop_time } = run;
  const how = exitText({ exit: { code, signal, reason, time: stop_time ?? "" } });
  const lasted = start_time !== null && stop_time !== null ? [spanText(millisecondsOf(stop_time) - millisecondsOf(start_time))] : [];
  return {
    number,
    tone: code !== null && successCodes.includes(code) ? "good" : signal !== null && STOPS.has(signal) ? "soft" : "bad",
    // Names of users, and reasons: nothing in them may act on the terminal.
    parts: [
      endText({ run, how, end }) ?? how,
      ...(next === null ? [] : [next]),
      ...lasted,
      ...(stop_time === null ? [] : [clockTime(stop_time)]),
    ].map(visible),
  };
}

/** Number of UTF-8 bytes that a text was decoded from. U+FFFD counts as one, as in `textOfLastBytes`. */
export function bytesOf(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    // A surrogate pair is four bytes: two for each half.
    bytes += unit < 0x80 || unit === 0xfffd ? 1 : unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 2 : 3;
  }
  return bytes;
}
