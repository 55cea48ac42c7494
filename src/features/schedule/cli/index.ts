import type { CliFeature } from "../../../cli/command/feature.ts";
import { clockTime } from "../../../cli/output/process-text.ts";
import type { Column } from "../../../cli/output/table.ts";
import type { Process } from "../../../protocol/resources/resources.ts";
import { nextRunText, skippedText } from "../client/schedule-text.ts";
import type { ScheduleState } from "../wire.ts";

export const scheduleCli: CliFeature = {
  snapshotFigures: ({ schedules }) => {
    const byName = new Map(schedules.map((schedule) => [schedule.name, schedule]));
    return {
      columns: byName.size === 0 ? [] : columns(byName),
      json: ({ name }) => ({ schedule: byName.get(name) ?? null }),
    };
  },
  processRemarks: ({ schedules }) =>
    new Map(schedules.flatMap((schedule) => (schedule.skipped === null ? [] : [[schedule.name, skippedText(schedule, clockTime)]]))),
};

function columns(schedules: ReadonlyMap<string, ScheduleState>): Column<Process>[] {
  const text = (write: (schedule: ScheduleState) => string) => (row: Process) => {
    const schedule = schedules.get(row.name);
    return schedule === undefined ? "-" : write(schedule);
  };
  return [
    { title: "NEXT RUN", text: text((schedule) => nextRunText(schedule, clockTime)), spare: 7 },
    { title: "LAST RUN", text: text(({ last_run }) => (last_run === null ? "-" : clockTime(last_run))), spare: 6 },
  ];
}
