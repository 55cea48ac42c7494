import { z } from "zod";
import { count, logLevel, timestamp } from "../frames/field-kinds.ts";
import { answer, clientFrames, managerFrames } from "../frames/frame-table.ts";
import { processState } from "../process/process.ts";
import { LOG_LEVELS } from "./log-level.ts";

const MAX_LOG_LIMIT = 100_000;

export const stateChange = z
  .object({
    process: z.string(),
    from: processState.nullable().describe("null: a new manager found it in this state."),
    to: processState,
    by: z.string().nullable().describe("User whose request led to it; null: none did."),
    reason: z.string().nullable(),
  })
  .meta({ id: "StateChange", description: "What a log entry on the state of a process says, for programs." });
export type StateChange = z.infer<typeof stateChange>;

export const userAction = z
  .object({
    kind: z.enum(["command", "configuration"]).describe("`command`: to processes, or on their settings."),
    by: z.string(),
    name: z.string().nullable().describe("The process or group; null: none in particular."),
  })
  .meta({ id: "UserAction", description: "What a log entry on an action of a user says, for programs." });
export type UserAction = z.infer<typeof userAction>;

const logEntry = z
  .object({
    id: z.int().describe("Grows, also across restarts of the manager."),
    ts: timestamp,
    level: z.enum(LOG_LEVELS),
    source: z.string(),
    msg: z.string(),
    change: stateChange.exactOptional(),
    action: userAction.exactOptional(),
    about: z
      .array(z.string())
      .describe("Processes and groups that it concerns, if neither `change` nor `action` names them.")
      .exactOptional(),
  })
  .meta({ id: "LogEntry" });
export type LogEntry = z.infer<typeof logEntry>;

export const logCommands = clientFrames("Log", {
  request_logs: {
    fields: {
      level: logLevel.describe("Lowest level; default `debug`.").exactOptional(),
      limit: count(MAX_LOG_LIMIT).describe(`How many of the newest entries, at most ${MAX_LOG_LIMIT}; default all.`).exactOptional(),
      before: z
        .int({ error: "must be an integer, the id of a log entry" })
        .describe("Only entries with a lower id: so older ones are fetched piece by piece.")
        .exactOptional(),
    },
    answer: "log_batch",
    scope: "log",
    role: "viewer",
    readOnly: true,
    meaning: "Retained log entries, oldest first.",
  },
  set_log_min_level: {
    fields: { level: logLevel },
    answer: null,
    scope: "log",
    role: "viewer",
    readOnly: true,
    meaning: "From which level on this connection gets live entries; `info` at first.",
  },
});

export const logFrames = managerFrames("Log", {
  log_batch: answer(
    { entries: z.array(logEntry), history: z.literal(true).exactOptional().describe("An answer to `request_logs`, not live entries.") },
    "Log entries: live on full and `log_only` connections, or retained ones.",
  ),
});
