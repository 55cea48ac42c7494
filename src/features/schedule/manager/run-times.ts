// When runs are due: functions of times, in Unix milliseconds of the manager's clock.
import { nextCronTime } from "../cron-times.ts";
import type { Timing } from "../schedule.ts";

/** A run that is later than this was missed: the manager was away, the machine slept or its clock was set forward. Milliseconds. */
export const MAX_LATE_MS = 60_000;
/** If a clock is set back by less than this, times of a cron expression do not come twice; otherwise the clock was wrong before. Milliseconds. */
const MAX_REPEATED_MS = 3 * 3_600_000;

/** The time after `handled`, which is the time up to which all runs were begun or left out; null: there is none. */
export function nextTime(timing: Timing, handled: number): number | null {
  return timing.kind === "every" ? handled + timing.period_ms : nextCronTime(timing, handled);
}

interface DueRun {
  /** The new time up to which all runs count as handled. */
  readonly handled: number;
  readonly isMissed: boolean;
}

/** The one run that stands for all those between `handled` and `now`; null: none was due. It counts as missed if the newest was due long ago. */
export function dueRun(timing: Timing, handled: number, now: number): DueRun | null {
  const next = nextTime(timing, handled);
  if (next === null || next > now) return null;
  if (timing.kind === "every") {
    // The times stay multiples of the period, however late the timer is.
    const newest = now - ((now - handled) % timing.period_ms);
    return { handled: newest, isMissed: now - newest > MAX_LATE_MS };
  }
  const recent = nextTime(timing, Math.max(handled, now - MAX_LATE_MS));
  return { handled: now, isMissed: recent === null || recent > now };
}

/** `handled` after the wall clock has gone forward by `step` more than time has passed (backward: negative), as by ntp, a user or a suspended machine. */
export function afterClockStep(timing: Timing, handled: number, { step, now }: { step: number; now: number }): number {
  return withinReach(timing, timing.kind === "every" ? handled + step : handled, now);
}

/** `handled` by an earlier clock, which may have been ahead of this one. */
export function withinReach(timing: Timing, handled: number, now: number): number {
  const ahead = timing.kind === "every" ? 0 : MAX_REPEATED_MS;
  return handled - now > ahead ? now : handled;
}
