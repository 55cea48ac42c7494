import { z } from "zod";
import { timestamp } from "../../protocol/frames/field-kinds.ts";
import { change, managerFrames } from "../../protocol/frames/frame-table.ts";
import { OVERLAPS } from "./schedule.ts";

const skippedRuns = z
  .object({
    count: z.int().describe("Number of runs that were left out since the last one that the schedule started."),
    at: timestamp.describe("When the newest of them was due, or was found to have been missed."),
    reason: z.string().describe("Why: the end of a sentence that begins with the run."),
  })
  .meta({ id: "SkippedRuns", description: "Runs of a schedule that were left out." });

const scheduleState = z
  .object({
    name: z.string().describe("Name of the process."),
    cron: z.string().nullable().describe("The cron expression; null: the schedule has a period."),
    timezone: z.string().nullable().describe("Time zone of the expression; null: that of the manager, or the schedule has a period."),
    every_ms: z.int().nullable().describe("The period, milliseconds; null: the schedule has a cron expression."),
    overlap: z.enum(OVERLAPS).describe("What happens when a run is due and the one before has not ended."),
    catch_up: z.boolean().describe("Whether one run is made up for when runs were missed."),
    next_run: timestamp.nullable().describe("When the process is started next; null: never again, or the schedule is paused."),
    last_run: timestamp
      .nullable()
      .describe(
        "When the schedule last started the process, also under an earlier manager; null: it never did. Starts by users do not count.",
      ),
    paused: z.boolean().describe("Whether a stop of the process was requested: nothing is started until a start is requested."),
    pending: z.boolean().describe("Whether a run waits for the end of the one before, or for the host."),
    skipped: skippedRuns.nullable(),
  })
  .meta({ id: "ScheduleState", description: "The schedule of a process. Times are by the manager's clock." });
export type ScheduleState = z.infer<typeof scheduleState>;

export const scheduleFrames = managerFrames("Schedules", {
  schedule_upsert: change(
    { schedule: scheduleState },
    "A process has a schedule, or something of it has changed.",
    ({ schedule: { name } }) => `schedule:${name}`,
    ({ schedule: { name } }) => name,
  ),
  schedule_remove: change(
    { name: z.string() },
    "A process has no schedule any more.",
    ({ name }) => `schedule:${name}`,
    ({ name }) => name,
  ),
});

/** On a focused connection, those of the processes in view. */
export const scheduleSnapshot = { schedules: z.array(scheduleState) };
