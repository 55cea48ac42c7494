import { z } from "zod";
import { flag, hostName, text, timestamp } from "../../protocol/frames/field-kinds.ts";
import { clientFrames, managerFrames, result } from "../../protocol/frames/frame-table.ts";
import { affinity, nice, policy, prio, taskFields, taskName } from "./task-fields.ts";

const COLUMN_TYPES = ["integer", "number", "string", "bytes", "duration", "percent", "boolean"] as const;

const column = z
  .object({
    name: z.string(),
    label: z.string(),
    type: z.enum(COLUMN_TYPES),
    align: z.enum(["left", "right"]),
    unit: z.string().exactOptional(),
  })
  .meta({ id: "TaskColumn" });
export type TaskColumn = z.infer<typeof column>;

const row = z
  .object({
    key: z.string().describe("`<pid>:<tid>`."),
    process: z.string().nullable().describe("Name of the managed process that it belongs to."),
    cells: z
      .array(z.object({ raw: z.union([z.string(), z.number(), z.boolean(), z.null()]), formatted: z.string() }))
      .describe("In column order."),
  })
  .meta({ id: "TaskRow" });
export type TaskRow = z.infer<typeof row>;

export const taskListCommands = clientFrames("Process list", {
  request_process_list: {
    fields: {
      host: hostName,
      show_threads: flag.describe("Default false.").exactOptional(),
      show_env: flag.describe("Default false.").exactOptional(),
      filter: text(0, 65_536)
        .describe("Items `key:op:value` joined by NUL, all of which have to hold; op: `==` `!=` `<` `<=` `>` `>=` `~` `!~`. Empty: all.")
        .exactOptional(),
    },
    answer: "process_list",
    scope: "global",
    role: "viewer",
    fieldRoles: { show_env: "admin" },
    readOnly: true,
    meaning: "All tasks of a host.",
  },
  set_process_list_task: {
    fields: { ...taskName, policy, prio, affinity, nice: nice.exactOptional() },
    answer: "process_list_task_set_result",
    scope: "global",
    role: "admin",
    meaning: "Changes how a task is scheduled: all of it or nothing.",
  },
});

export const taskListFrames = managerFrames("Process list", {
  process_list: result(
    { host: z.string() },
    {
      show_threads: z.boolean(),
      show_env: z.boolean(),
      filter: z.string(),
      time: timestamp,
      columns: z.array(column),
      rows: z.array(row),
    },
    "Tasks of a host.",
  ),
  process_list_task_set_result: result(
    { host: z.string(), pid: z.int(), tid: z.int() },
    taskFields,
    "How the task is scheduled now, read back; or the kernel's reason for refusing.",
  ),
});
