import { z } from "zod";
import { timestamp } from "../frames/field-kinds.ts";
import { change, managerFrames } from "../frames/frame-table.ts";

export const HOST_STATES = ["absent", "greeting", "ready", "lost", "incompatible", "died"] as const;

export const hostEntry = z
  .object({
    name: z.string().describe("Canonical name."),
    aliases: z.array(z.string()),
    node_aliases: z.array(z.string()).describe("Logical nodes on this host."),
    all_names: z.array(z.string()).describe("name, aliases and node_aliases without repeats."),
    daemon_ready: z.boolean().describe("Whether its daemon is connected."),
    state: z
      .enum(HOST_STATES)
      .describe(
        "absent: never seen; greeting: being asked what it runs; ready; lost: silent; incompatible: of another version; died: its daemon ended.",
      ),
    problem: z.string().nullable().describe("A daemon that was refused, and why; null: none was refused in the last seconds."),
    lost_time: timestamp
      .nullable()
      .describe("When its daemon was lost: its processes are shown as of then. Null while connected or never seen."),
    alone: z
      .object({
        from: timestamp,
        until: timestamp,
        restarts: z.int(),
        resumed: z
          .object({ time: timestamp, processes: z.int(), after: z.enum(["boot", "daemon"]) })
          .exactOptional()
          .describe("When it started processes that were requested before, how many, and after what (`on_boot: resume`). Omitted: none."),
      })
      .exactOptional()
      .describe(
        "The last time in which it had no manager and restarted its processes by itself, by its own clock. Omitted: not since this manager began.",
      ),
    version: z.string().nullable().describe("Of its daemon's program; null while unknown."),
    clock_offset: z.number().nullable().describe("Its clock minus the manager's when it was greeted last, seconds."),
  })
  .meta({ id: "HostEntry" });
export type HostEntry = z.infer<typeof hostEntry>;

export const startTool = z
  .object({ value: z.string().nullable().describe("null means the configured default."), label: z.string() })
  .meta({ id: "StartTool", description: "A program that can be put before a command, such as a debugger." });
export type StartTool = z.infer<typeof startTool>;

export const hostEvents = managerFrames("Hosts", {
  host_upsert: change({ host: hostEntry }, "A host appeared or changed.", ({ host }) => `host:${host.name}`),
  host_remove: change({ name: z.string() }, "A host is not configured any more, and nothing of it is left."),
});
