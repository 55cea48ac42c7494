import type { ViewMode } from "../../../transport/view.ts";
import type { ScheduleState } from "../wire.ts";

/** The schedules of processes. */
export interface Schedules {
  /** Schedules of the processes in view, by name. */
  list(view: ViewMode): ScheduleState[];
}
