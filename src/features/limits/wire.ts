import { z } from "zod";
import { processName, timestamp } from "../../protocol/frames/field-kinds.ts";
import { change, clientFrames, managerFrames } from "../../protocol/frames/frame-table.ts";
import { LIMIT_ACTIONS, MEASURES } from "./measures.ts";

const reachedLimit = z
  .object({
    measure: z.enum(MEASURES),
    value: z
      .number()
      .describe("The figure when the limit was reached: bytes, percent of one CPU, a number, milliseconds, or bytes a second."),
    above: z.number().describe("The limit, in the same unit."),
    over_ms: z.int().describe("How long it had been over its limit then, milliseconds."),
    at: timestamp.describe("When the limit was reached."),
    action: z.enum(LIMIT_ACTIONS).describe("What was done: `then` of the configuration."),
    times: z.int().describe("How often, since it was dismissed last."),
  })
  .meta({ id: "ReachedLimit", description: "A limit of `limits_act` that a process has reached." });
export type ReachedLimit = z.infer<typeof reachedLimit>;

const limitState = z
  .object({
    name: z.string().describe("Name of the process."),
    host: z.string(),
    reached: z
      .array(reachedLimit)
      .describe(
        "The process needs attention while there are any. One that only notifies ends when the figure is below the limit again, and with the run; one that restarted or stopped the process when it is dismissed, and after a stop with the next run.",
      ),
    cgroup_problem: z
      .string()
      .nullable()
      .describe("Why settings of `cgroup` are not in effect in the present run; null: they are, or there are none."),
  })
  .meta({
    id: "LimitState",
    description: "Limits that a process has reached, and cgroup settings that could not be made. Times are by the clock of its host.",
  });
export type LimitState = z.infer<typeof limitState>;

export const limitCommands = clientFrames("Limits", {
  clear_limits: {
    fields: { name: processName },
    answer: null,
    scope: "name",
    role: "operator",
    meaning:
      "Acknowledges the limits that a process has reached. A limit that only notifies counts again when the figure has been below it. Nothing happens if there are none.",
  },
});

export const limitFrames = managerFrames("Limits", {
  limits_upsert: change(
    { limits: limitState },
    "A process has reached a limit, or its reached limits have changed.",
    ({ limits: { name } }) => `limits:${name}`,
    ({ limits: { name } }) => name,
  ),
  limits_remove: change(
    { name: z.string() },
    "A process has no reached limit any more.",
    ({ name }) => `limits:${name}`,
    ({ name }) => name,
  ),
});

/** On a focused connection, those of the processes in view. */
export const limitSnapshot = { limits: z.array(limitState) };
