import { z } from "zod";
import { commandOverride, flag, integer, label, processName, text, timestamp } from "../frames/field-kinds.ts";
import { clientFrames, managerFrames, result } from "../frames/frame-table.ts";
import { stateChange } from "../resources/log.ts";
import { REAL_TIME_SIGNAL, SIGNALS } from "./signals.ts";

/** The attributes that `set_process_attribute` accepts (docs/design/wire-rules.md, "Versioning"). */
const PROCESS_ATTRIBUTES = ["start_tool", "svc_debug"] as const;

const signalSays = "must be the name of a signal such as SIGHUP or SIGRTMIN+3";
const onlyName = { name: processName };
const svcDebugSays = "must be true or false, or null to clear it, for the attribute svc_debug";
const startToolSays = "must be the value of a start tool, or null to clear it, for the attribute start_tool";
const attributeSays = "must be a string of at most 64 characters, true, false or null";

export const processCommands = clientFrames("Processes", {
  start_process: {
    fields: onlyName,
    answer: null,
    scope: "name",
    role: "operator",
    meaning: "Starts a process and what it depends on. Running: accepted, unchanged.",
  },
  stop_process: {
    fields: onlyName,
    answer: null,
    scope: "name",
    role: "operator",
    meaning: "Stops a process, first those that depend on it. Stopped: accepted, unchanged.",
  },
  restart_process: {
    fields: onlyName,
    answer: null,
    scope: "name",
    role: "operator",
    meaning: "Stops the process if it runs, then starts it.",
  },
  send_signal: {
    fields: {
      name: processName,
      signal: z
        .union([z.enum(SIGNALS, { error: signalSays }), z.string({ error: signalSays }).regex(REAL_TIME_SIGNAL, { error: signalSays })], {
          error: signalSays,
        })
        .describe("Name of a signal such as `SIGHUP` or `SIGRTMIN+3`."),
    },
    answer: null,
    scope: "name",
    role: "operator",
    meaning: "Sends a signal to the leader of the running process.",
  },
  set_process_current_alternate_command: {
    fields: { name: processName, which: label },
    answer: null,
    scope: "name",
    role: "operator",
    meaning: "Selects the command of the next start.",
  },
  set_process_command_override: {
    fields: { name: processName, override: commandOverride.describe("Replaces the primary command; null or empty clears it.") },
    answer: null,
    scope: "name",
    role: "admin",
    meaning: "Overrides the primary command from the next start on.",
  },
  set_process_alternate_command_override: {
    fields: { name: processName, which: label, override: commandOverride.describe("Replaces that command; null or empty clears it.") },
    answer: null,
    scope: "name",
    role: "admin",
    meaning: "Overrides one of the commands from the next start on.",
  },
  set_process_attribute: {
    fields: {
      name: processName,
      attribute: z.enum(PROCESS_ATTRIBUTES, { error: `must be one of ${PROCESS_ATTRIBUTES.join(", ")}` }),
      value: z
        .union([text(0, 64), z.boolean(), z.null()], { error: attributeSays })
        .describe("`start_tool`: value of a start tool. `svc_debug`: a boolean. null or empty clears it."),
    },
    check: ({ attribute, value }) => {
      const isWrong = attribute === "svc_debug" ? typeof value === "string" && value !== "" : typeof value === "boolean";
      return isWrong ? { field: "value", says: attribute === "svc_debug" ? svcDebugSays : startToolSays } : null;
    },
    answer: "process_attribute_set_result",
    scope: "name",
    role: "admin",
    meaning: "Sets an attribute from the next start on.",
  },
  set_process_low_delay_output: {
    fields: { name: processName, enabled: flag },
    answer: null,
    scope: "name",
    role: "operator",
    meaning: "Sends output at each read instead of at most every 16 ms.",
  },
  set_process_no_skip_display: {
    fields: { name: processName, enabled: flag },
    answer: null,
    scope: "name",
    role: "operator",
    meaning: "Holds the process back for slow viewers (at most 10 s) instead of skipping their output.",
  },
  dump_startup_commands: {
    fields: onlyName,
    answer: "process_startup_commands",
    scope: "name",
    role: "admin",
    readOnly: true,
    meaning: "The shell lines that would start the process by hand, in a shell of its host. Nothing is typed into its terminal.",
  },
  request_process_detail: {
    fields: onlyName,
    answer: "process_detail",
    scope: "name",
    role: "viewer",
    readOnly: true,
    meaning: "Environment, past runs and definition of a process.",
  },
  send_winch: {
    fields: { name: processName, rows: integer(1, 65_535), cols: integer(1, 65_535) },
    answer: null,
    scope: "name",
    role: "operator",
    meaning: "Sets the size of the terminal. Not running: kept for the next run.",
  },
});

const named = { name: z.string() };

export const processResults = managerFrames("Processes", {
  process_attribute_set_result: result(
    { ...named, attribute: z.string() },
    { value: z.union([z.string(), z.boolean(), z.null()]).describe("The value after the change.") },
    "An attribute was set, or not.",
  ),
  process_startup_commands: result(
    named,
    { commands: z.array(z.string()).describe("Shell lines, made by the host of its next start: cd, export, ulimit, the command.") },
    "How to start it by hand.",
  ),
  process_detail: result(
    named,
    {
      environment: z.record(z.string(), z.string()).describe("Variables configured for the process; secrets are `***`."),
      history: z
        .array(
          z.object({
            run_id: z.string(),
            number: z.int().describe("Which run of the process it is, from 1, as far back as the manager knows."),
            pid: z.int().nullable(),
            start_time: timestamp.nullable(),
            stop_time: timestamp.nullable(),
            code: z.int().nullable(),
            signal: z.string().nullable(),
            reason: z.string().nullable(),
            output_end: z
              .object({ offset: z.int(), stream_id: z.string() })
              .nullable()
              .describe(
                "The place in the output after its last byte, as in `process_output`; null while it lives, and if that is not known.",
              ),
          }),
        )
        .describe("Past runs, newest first."),
      needed_by: z.array(z.string()).describe("Names of the processes that depend on it."),
      changes: z
        .array(z.object({ ts: timestamp, ...stateChange.omit({ process: true }).shape }))
        .describe("Its newest changes of state, oldest first."),
      definition: z.record(z.string(), z.unknown()).describe("The definition with all defaults, keys as in the configuration file."),
    },
    "More about one process.",
  ),
});
