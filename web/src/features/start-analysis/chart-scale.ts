import { type Phase, phasesOf } from "../../../../src/features/start-analysis/phases.ts";
import type { ProcessStart } from "../../../../src/features/start-analysis/wire.ts";
import { parseTime } from "../../../../src/protocol/time.ts";
import { roundStep } from "../../ui/round-step.ts";

/** A part of a bar, in percent of the chart's width. */
export interface Part {
  readonly phase: Phase["name"];
  readonly left: number;
  readonly width: number;
}

/** The time that a chart shows; milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

/** From the first request until everything was over, `now` if something is under way. */
export function spanOf(starts: readonly ProcessStart[], now: number): Span {
  let from = Number.POSITIVE_INFINITY;
  let until = Number.NEGATIVE_INFINITY;
  for (const start of starts) {
    from = Math.min(from, parseTime(start.requested));
    const end = start.up ?? start.ended;
    until = Math.max(until, end === null ? now : parseTime(end));
  }
  // A chart of no length has no scale.
  return from > until ? { from: now, until: now + 1 } : { from, until: Math.max(until, from + 1) };
}

export function partsOf(start: ProcessStart, { from, until }: Span, now: number): Part[] {
  const percent = (time: number) => (100 * (time - from)) / (until - from);
  return phasesOf(start, now).map((phase) => {
    const left = Math.max(0, percent(phase.from));
    return { phase: phase.name, left, width: Math.min(100, percent(phase.until)) - left };
  });
}

export interface Tick {
  readonly left: number;
  readonly text: string;
}

/** Marks at round times since the beginning of the chart: at most `most`. */
export function ticksOf({ from, until }: Span, most: number): Tick[] {
  const length = until - from;
  const step = roundStep(length / Math.max(1, most));
  const ticks: Tick[] = [];
  for (let time = 0; time <= length; time += step) ticks.push({ left: (100 * time) / length, text: tickText(time, step) });
  return ticks;
}

function tickText(milliseconds: number, step: number): string {
  if (step >= 60_000) return `${milliseconds / 60_000} min`;
  if (step >= 1_000) return `${milliseconds / 1_000} s`;
  return milliseconds >= 1_000 ? `${Number((milliseconds / 1_000).toFixed(3))} s` : `${milliseconds} ms`;
}
