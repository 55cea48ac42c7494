import { z } from "zod";
import { processName, timestamp } from "../../protocol/frames/field-kinds.ts";
import { change, clientFrames, managerFrames } from "../../protocol/frames/frame-table.ts";

const alert = z
  .object({
    name: z.string().describe("Name of the process."),
    host: z.string(),
    silent: z
      .object({ since: timestamp.describe("Time of its last output, else of its start.") })
      .nullable()
      .describe(
        "It has written nothing for as long as `alert.silent_for` of its configuration; ends with its next output, and with the run.",
      ),
    output: z
      .object({
        since: timestamp.describe("Time of the first match."),
        last: timestamp.describe("Time of the last match that was counted."),
        line: z.string().describe("The first line that matched, without escape sequences; at most 1,024 UTF-16 code units."),
        matches: z.int().describe("Lines that matched; at least, because at most 20 a second are examined after the first."),
      })
      .nullable()
      .describe("Its output matched `alert.output_matches`; remains until it is cleared or the process starts again."),
  })
  .meta({ id: "Alert", description: "Why a process needs attention. Times are by the clock of its host." });
export type Alert = z.infer<typeof alert>;

export const alertCommands = clientFrames("Alerts", {
  clear_alert: {
    fields: { name: processName },
    answer: null,
    scope: "name",
    role: "operator",
    meaning:
      "Acknowledges the alert of a process: it needs no attention until its output matches again, or it has written something and is silent again. Nothing happens if it has none.",
  },
});

export const alertFrames = managerFrames("Alerts", {
  alert_upsert: change(
    { alert },
    "A process needs attention, or the reasons have changed.",
    ({ alert: { name } }) => `alert:${name}`,
    ({ alert: { name } }) => name,
  ),
  alert_remove: change(
    { name: z.string() },
    "A process no longer needs attention.",
    ({ name }) => `alert:${name}`,
    ({ name }) => name,
  ),
});

/** On a focused connection, those of the processes in view. */
export const alertSnapshot = { alerts: z.array(alert) };
