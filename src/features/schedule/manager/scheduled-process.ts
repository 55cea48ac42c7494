import { isDeepStrictEqual } from "node:util";
import { formatTime } from "../../../protocol/time.ts";
import type { Schedule } from "../schedule.ts";
import type { ScheduleState } from "../wire.ts";
import { afterClockStep, dueRun, nextTime, withinReach } from "./run-times.ts";
import type { SavedSchedule } from "./saved-schedules.ts";

/** The schedule of one process: which of its runs were begun, and when the next one is due. Times in Unix milliseconds. */
export class ScheduledProcess {
  readonly name: string;
  #schedule: Schedule;
  #handled: number;
  #next: number | null;
  #lastRun: number | null;
  #skipped: ScheduleState["skipped"] = null;
  isPaused = false;
  /** Whether a run waits for the end of the one before, or for the host. */
  isPending: boolean;
  /** Whether a command of the schedule is under way. */
  isStarting = false;

  constructor(name: string, schedule: Schedule, { saved, now }: { saved: SavedSchedule | undefined; now: number }) {
    const isSame = saved?.timing === JSON.stringify(schedule.timing);
    this.name = name;
    this.#schedule = schedule;
    this.#handled = isSame ? withinReach(schedule.timing, saved.handled, now) : now;
    this.#next = nextTime(schedule.timing, this.#handled);
    this.#lastRun = saved?.last_run ?? null;
    this.isPending = isSame && saved.pending;
  }

  get schedule(): Schedule {
    return this.#schedule;
  }

  /** When the next run is due; null: never again. */
  get next(): number | null {
    return this.#next;
  }

  /** Takes over another schedule: its times count from `now` on. */
  reschedule(schedule: Schedule, now: number): void {
    const isSame = isDeepStrictEqual(schedule.timing, this.#schedule.timing);
    this.#schedule = schedule;
    if (isSame) return;
    this.isPending = false;
    this.#handle(now);
  }

  clockStepped(step: number, now: number): void {
    const handled = afterClockStep(this.#schedule.timing, this.#handled, { step, now });
    if (handled !== this.#handled) this.#handle(handled);
  }

  /** Handles all times up to `now`: returns whether they make a run, or one that was missed. */
  take(now: number): "none" | "due" | "missed" {
    if (this.#next === null || this.#next > now) return "none";
    const due = dueRun(this.#schedule.timing, this.#handled, now);
    if (due === null) return "none";
    this.#handle(due.handled);
    return due.isMissed ? "missed" : "due";
  }

  /** The schedule has started the process. */
  started(now: number): void {
    this.#lastRun = now;
    this.#skipped = null;
  }

  /** A run was left out. Returns how many since the last run of the schedule. */
  skip(now: number, reason: string): number {
    const count = (this.#skipped?.count ?? 0) + 1;
    this.#skipped = { count, at: formatTime(now), reason };
    return count;
  }

  state(): ScheduleState {
    const { timing, overlap, catch_up } = this.#schedule;
    const isCron = timing.kind === "cron";
    return {
      name: this.name,
      cron: isCron ? timing.pattern : null,
      timezone: isCron ? timing.timezone : null,
      every_ms: isCron ? null : timing.period_ms,
      overlap,
      catch_up,
      next_run: this.#next === null || this.isPaused ? null : formatTime(this.#next),
      last_run: this.#lastRun === null ? null : formatTime(this.#lastRun),
      paused: this.isPaused,
      pending: this.isPending,
      skipped: this.#skipped,
    };
  }

  saved(): SavedSchedule {
    const timing = JSON.stringify(this.#schedule.timing);
    return { name: this.name, timing, handled: this.#handled, last_run: this.#lastRun, pending: this.isPending };
  }

  #handle(handled: number): void {
    this.#handled = handled;
    this.#next = nextTime(this.#schedule.timing, handled);
  }
}
