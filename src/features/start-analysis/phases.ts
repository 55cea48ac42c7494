import { parseTime } from "../../protocol/time.ts";
import type { ProcessStart } from "./wire.ts";

export const PHASES = ["waiting", "starting", "until_ready"] as const;
export type PhaseName = (typeof PHASES)[number];

export const PHASE_WORDS: Readonly<Record<PhaseName, string>> = {
  waiting: "waiting for others",
  starting: "starting",
  until_ready: "until ready",
};

/** A part of a start; milliseconds since 1970. */
export interface Phase {
  readonly name: PhaseName;
  readonly from: number;
  readonly until: number;
}

/** The parts of a start that took time, in their order. One that is under way lasts until `now`, by the clock of the manager. */
export function phasesOf({ requested, released, started, up, ended }: ProcessStart, now: number): Phase[] {
  const times = [requested, released, started, up].map((time) => (time === null ? null : parseTime(time)));
  const end = ended === null ? now : parseTime(ended);
  return PHASES.flatMap((name, index): Phase[] => {
    const from = times[index] ?? null;
    const until = times[index + 1] ?? end;
    return from === null || until <= from ? [] : [{ name, from, until }];
  });
}

/** Time of a process's own start in milliseconds: without its waiting for others. */
export function ownTime(start: ProcessStart, now: number): number {
  return phasesOf(start, now).reduce((sum, { name, from, until }) => (name === "waiting" ? sum : sum + until - from), 0);
}

/** Duration with milliseconds: "3 ms", "1.204 s", "2 min 3 s". */
export function durationText(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(3)} s`;
  const seconds = Math.round(milliseconds / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
