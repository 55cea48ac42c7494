import type { ManagerCore } from "../../../app/feature.ts";
import { UP_STATES } from "../../../protocol/process/process-state.ts";
import { formatTime } from "../../../protocol/time.ts";
import { selectInView } from "../../../transport/select-in-view.ts";
import { contains, type ViewMode } from "../../../transport/view.ts";
import { criticalChain, lastOf, lastStart } from "../critical-chain.ts";
import { outcomeOf, type StartTimes, settledAt } from "../start-times.ts";
import type { ProcessStart, StartAnalysis } from "../wire.ts";
import type { StartRecorder } from "./start-recorder.ts";

/** Analyzes the last start of a process, of a group or of everything in view. Throws `not_found` and `out_of_scope`. */
export type AnalyzeStart = (name: string | null, view: ViewMode) => StartAnalysis;

export function analyzeStart(
  { clock, processes }: Pick<ManagerCore, "clock" | "processes">,
  recorder: Pick<StartRecorder, "of">,
): AnalyzeStart {
  return (name, view) => {
    const names = selectInView(processes.names(), name, view);
    const starts = names.flatMap((each) => recorder.of(each) ?? []).sort((a, b) => a.requested - b.requested);
    const members = lastStart(starts);
    const isMember = new Set(members);
    const last = lastOf(members, (each) => processes.graph.stopRank(each));
    const chain = last === null ? [] : criticalChain(last, (each) => (contains(view, each) ? recorder.of(each) : undefined));
    const settled = members.map(settledAt);
    // Times of the monotonic clock are written with today's distance to the wall clock, so that differences stay true if that is set. Both are
    // rounded by themselves: their sum would be rounded to another millisecond from one request to the next.
    const toWall = Math.round(clock.now() - clock.monotonic());
    const timeOf = (time: number) => formatTime(toWall + Math.round(time));
    const reached = (time: number | null) => (time === null ? null : timeOf(time));
    return {
      name,
      requested: reached(members[0]?.requested ?? null),
      settled: members.length === 0 || settled.includes(null) ? null : timeOf(Math.max(...settled.map((time) => time ?? 0))),
      chain: chain.map(({ name, isKnown, from, until }) => ({ name, known: isKnown, from: reached(from), until: reached(until) })),
      processes: starts.map((start) => wireStart(start, { inLastStart: isMember.has(start), timeOf, reached })),
      unknown: names.filter((each) => recorder.of(each) === undefined && UP_STATES.has(processes.stateOf(each) ?? "stopped")),
    };
  };
}

interface Written {
  readonly inLastStart: boolean;
  readonly timeOf: (time: number) => string;
  readonly reached: (time: number | null) => string | null;
}

function wireStart(start: StartTimes, { inLastStart, timeOf, reached }: Written): ProcessStart {
  const { name, failure, after, attempts } = start;
  return {
    name,
    in_last_start: inLastStart,
    outcome: outcomeOf(start),
    requested: timeOf(start.requested),
    released: reached(start.released),
    started: reached(start.started),
    up: reached(start.up),
    ended: reached(start.ended),
    failure,
    after,
    attempts,
  };
}
