import { scheduleExtension } from "../../../src/features/schedule/manager/index.ts";
import type { Schedules } from "../../../src/features/schedule/manager/schedules.ts";
import type { ScheduleState } from "../../../src/features/schedule/wire.ts";
import { contains, type ViewMode } from "../../../src/transport/view.ts";

export const DAILY: ScheduleState = {
  name: "sim/backup",
  cron: "0 3 * * *",
  timezone: "Europe/Berlin",
  every_ms: null,
  overlap: "skip",
  catch_up: false,
  next_run: "2026-11-22T02:00:00.000",
  last_run: "2026-11-21T02:00:00.000",
  paused: false,
  pending: false,
  skipped: null,
};

/** Schedules that a test sets. */
export class FakeSchedules implements Schedules {
  readonly extension = scheduleExtension(this);
  states: ScheduleState[] = [];

  list(view: ViewMode): ScheduleState[] {
    return this.states.filter(({ name }) => contains(view, name));
  }
}
