import { z } from "zod";
import { timestamp } from "../frames/field-kinds.ts";
import { change, managerFrames } from "../frames/frame-table.ts";
import { PROCESS_STATES, REQUESTED_STATES } from "./process-state.ts";

export const processState = z.enum(PROCESS_STATES).meta({
  id: "ProcessState",
  description:
    "stopped, waiting (for dependencies), starting, started, ready (its ready condition holds), stopping, backoff (will be restarted), error.",
});

export const X_DISPLAY_KINDS = ["manager", "web", "gui", "configured_vnc"] as const;
export const X_DISPLAY_REASONS = ["forward_x11", "forward_x11_fallback", "forward_x11_to_gui", "forward_x11_to_vnc"] as const;

const processExit = z
  .object({
    code: z.int().nullable().describe("Exit code; null when ended by a signal or never run."),
    signal: z.string().nullable().describe("Name of the signal that ended it, such as SIGKILL."),
    reason: z.string().nullable().describe("In words, where code and signal do not say it: why it could not be started, for example."),
    time: timestamp,
  })
  .meta({ id: "ProcessExit", description: "How the last run ended." });
export type ProcessExit = z.infer<typeof processExit>;

export const process = z
  .object({
    name: z.string().describe("Full name: groups and process joined by `/`."),
    display_name: z.string().describe("Last segment of the name."),
    state: processState,
    requested_state: z.enum(REQUESTED_STATES).describe("What was asked for last."),
    requested_by: z.string().nullable().describe("User who asked for it; null: the configuration."),
    requested_time: timestamp.nullable().describe("When a user asked for it."),
    stopped_with: z.string().nullable().describe("Name of the process that it needs and whose stop stopped it, too."),
    pid: z.int().nullable().describe("Of the leader of the living run."),
    host: z.string().describe("Canonical name of the host."),
    node: z.string().describe("Logical node."),
    command: z.string().describe("Primary command as configured."),
    command_override: z.string().nullable().describe("Override of the primary command."),
    alternate_commands: z.array(z.tuple([z.string(), z.string()])).describe("Pairs of label and command; the first label is `default`."),
    alternate_command_overrides: z.record(z.string(), z.string()).describe("Overrides by label."),
    current_alternate_command: z.string().describe("Label of the selected command."),
    current_command: z.string().describe("The command in effect: the selected one or its override, wrapped by the start tool."),
    running_command: z
      .string()
      .nullable()
      .describe("The command of the living run; null without one. A restart replaces it by `current_command`."),
    needs_restart: z.boolean().describe("The living run was started with another command or definition than a start would use now."),
    start_tool: z.string().nullable().describe("Value of the selected start tool; null is the configured default."),
    svc_debug: z.boolean(),
    x_display_kind: z.enum(X_DISPLAY_KINDS).nullable().describe("Where its X clients show; null unless it runs with an X target."),
    x_display: z.string().nullable().describe("X display name."),
    x_display_username: z.string().nullable(),
    x_display_peer: z.string().nullable().describe("`<ip>:<port>` of the GUI's or web client."),
    x_display_reason: z.enum(X_DISPLAY_REASONS).nullable().describe("The forwarding path that selected the target."),
    has_ready_state: z.boolean().describe("Whether it has a ready condition."),
    start_time: timestamp.nullable().describe("Start of the newest run, by the host's clock."),
    stop_time: timestamp.nullable().describe("End of the newest run; null while it lives."),
    exit: processExit.nullable(),
    restarts: z.int().describe("Automatic restarts since the last requested start."),
    restarting: z.boolean().describe("It has failed and is restarted, and no run has lasted `restart.stable_after` since."),
    next_start_time: timestamp.nullable().describe("In backoff: when it will be started again."),
    waiting_for: z.array(z.string()).describe("In waiting: names of the processes that it waits for."),
    depends_on: z.array(z.string()).describe("Names of the processes that it depends on."),
    stops_with: z.array(z.string()).describe("Those of `depends_on` whose stop stops it, too."),
    autostart: z.boolean(),
    confirm: z.boolean().describe("Clients ask the user before they stop or restart it: it has `confirm: true` or `essential: true`."),
    low_delay_output: z.boolean().describe("Output is sent at each read instead of at most every 16 ms."),
    no_skip_display: z.boolean().describe("Output is never skipped for slow viewers; the process is held back instead."),
    host_ready: z.boolean().describe("Whether the daemon of its host is connected."),
  })
  .meta({ id: "Process", description: "A supervised process. Never contains output." });
export type Process = z.infer<typeof process>;

export const processEvents = managerFrames("Processes", {
  process_upsert: change(
    { process },
    "A process appeared or changed. One frame for each change, also of fields other than the state.",
    ({ process }) => `process:${process.name}`,
  ),
  process_remove: change({ name: z.string() }, "A process was removed."),
});
