import { z } from "zod";
import type { JsonFile, StateFiles } from "../../../app/state/state-files.ts";

/** State of a schedule for the next manager. Times in Unix milliseconds. */
const savedSchedule = z.object({
  name: z.string(),
  /** The times of the schedule as JSON: other ones begin anew. */
  timing: z.string(),
  /** Up to this time all runs were begun or left out. */
  handled: z.number(),
  last_run: z.number().nullable(),
  pending: z.boolean(),
});
export type SavedSchedule = z.infer<typeof savedSchedule>;
const savedSchedules = z.object({ schedules: z.array(savedSchedule) });
export type ScheduleFile = JsonFile<z.infer<typeof savedSchedules>>;

const EMPTY = { schedules: [] };
export const noScheduleFile: ScheduleFile = { content: EMPTY, save: () => Promise.resolve() };

/** `schedules.json` in the state folder. */
export function openScheduleFile(files: StateFiles, warn: (msg: string) => void): ScheduleFile {
  return files.json("schedules.json", {
    schema: savedSchedules,
    empty: EMPTY,
    lost: "the last runs of schedules are forgotten, and those that were missed are not made up for",
    unsaved: "the runs of schedules could not be saved, a restart would forget the newest",
    warn,
  });
}
