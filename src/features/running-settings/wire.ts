import { z } from "zod";
import { processName } from "../../protocol/frames/field-kinds.ts";
import { clientFrames, managerFrames, result } from "../../protocol/frames/frame-table.ts";
import { COMPARISONS, SETTING_GROUPS } from "./rows.ts";

const setting = z
  .object({
    group: z.enum(SETTING_GROUPS),
    name: z.string().describe("Of a variable, a limit as in the configuration, or one of cwd, user, umask, nice, policy, prio, affinity."),
    running: z.string().nullable().describe("Value of the process; null: it has none, or it cannot be read. Secrets are `***`."),
    configured: z.string().nullable().describe("What the next start would have; null: nothing. Secrets are `***`."),
    comparison: z
      .enum(COMPARISONS)
      .describe("`inherited`: nothing is configured, so the process has what its host gave it. `unknown`: one of the two cannot be read."),
    reason: z.string().nullable().describe("Why they differ, where that is known."),
  })
  .meta({ id: "RunningSetting", description: "A value of more than 4,096 characters is cut, but compared as a whole." });
export type RunningSetting = z.infer<typeof setting>;

const fields = {
  host: z.string(),
  pid: z.int().describe("The main process of the run."),
  environment: z
    .enum(["whole", "cut", "unreadable"])
    .describe("`cut`: only its first 256 KiB were compared. `unreadable`: the process belongs to another user."),
  problem: z.string().nullable().describe("Why the configured environment could not be determined; null: it is there."),
  settings: z.array(setting),
};
export type RunningSettings = z.infer<z.ZodObject<typeof fields>>;

export const runningSettingsCommands = clientFrames("Processes", {
  request_running_settings: {
    fields: { name: processName },
    answer: "running_settings",
    scope: "name",
    role: "admin",
    readOnly: true,
    meaning:
      "Environment, limits, folder, user and scheduling of the main process that runs, beside those of its next start. The environment is that with which its program was started.",
  },
});

export const runningSettingsFrames = managerFrames("Processes", {
  running_settings: result({ name: z.string() }, fields, "What a process runs with, and what is configured."),
});
