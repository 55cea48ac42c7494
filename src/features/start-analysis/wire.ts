import { z } from "zod";
import { objectName, timestamp } from "../../protocol/frames/field-kinds.ts";
import { answer, clientFrames, managerFrames } from "../../protocol/frames/frame-table.ts";

const reached = timestamp.nullable();

const start = z
  .object({
    name: z.string(),
    in_last_start: z.boolean().describe("Whether it belongs to the last start: the newest one and those that overlap with it."),
    outcome: z
      .enum(["under_way", "up", "ended", "failed"])
      .describe("`up`: ready, or started if it has no ready condition. `ended`: before it was up, without a failure."),
    requested: timestamp.describe("When its start began. A restart begins when the run before it has ended."),
    released: reached.describe("When it had everything that it waited for, and its host was requested to start it."),
    started: reached.describe("When it had a pid."),
    up: reached,
    ended: reached.describe("When its run ended, or it gave up waiting."),
    failure: z.string().nullable().describe("Why it failed before it was up."),
    after: z
      .string()
      .nullable()
      .describe("The dependency that was met last, or while it waits the first that is missing; null: it did not wait."),
    attempts: z.int().describe("Number of attempts of its restart policy until it was up."),
  })
  .meta({ id: "ProcessStart", description: "The newest start of a process. All times by one clock of the manager; null: not reached." });
export type ProcessStart = z.infer<typeof start>;

const link = z
  .object({
    name: z.string(),
    known: z
      .boolean()
      .describe("False: its times are not known. It was started by an earlier manager, was started again since, or is out of view."),
    from: timestamp.nullable().describe("When the one before released it, or its start was requested; null: not yet, or not known."),
    until: timestamp.nullable().describe("When it released the next one, or its own start was over; null: not yet."),
  })
  .meta({ id: "StartChainLink", description: "Each link begins where the one before it ends." });
export type StartChainLink = z.infer<typeof link>;

const analysis = {
  name: z.string().nullable().describe("As requested; null: all in view."),
  requested: timestamp.nullable().describe("When the last start began; null: there was none."),
  settled: timestamp.nullable().describe("When all of it was up, failed or ended; null: it is under way."),
  chain: z
    .array(link)
    .describe("What the process that was up last waited for: from the process that waited for nothing to that one itself."),
  processes: z.array(start).describe("In the order in which their starts began."),
  unknown: z.array(z.string()).describe("Processes that run and whose start is not known: an earlier manager has started them."),
};
export type StartAnalysis = z.infer<z.ZodObject<typeof analysis>>;

export const startAnalysisCommands = clientFrames("Processes", {
  request_start_analysis: {
    fields: { name: objectName.describe("Name of a process or group. Without it: all processes in view.").exactOptional() },
    answer: "start_analysis",
    scope: "output",
    role: "viewer",
    readOnly: true,
    meaning: "When processes were started the last time, and what each of them waited for. On a focused connection, of those in view.",
  },
});

export const startAnalysisFrames = managerFrames("Processes", {
  start_analysis: answer(analysis, "The last start of processes."),
});
