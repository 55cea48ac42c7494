import { z } from "zod";
import { ROLES } from "../../base/access/access.ts";
import { count, pattern, text, timestamp } from "../../protocol/frames/field-kinds.ts";
import { clientFrames, errorCode, managerFrames, result } from "../../protocol/frames/frame-table.ts";
import { DEFAULT_LISTED, MAX_LISTED, MAX_NAMES } from "./limits.ts";

const namesSay = `must be an array of at most ${MAX_NAMES} patterns of names`;

const timeSays = "must be a UTC time such as 2026-11-21T08:14:02.123";
const time = z.string({ error: timeSays }).regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}$/, { error: timeSays });

const auditEntry = z
  .object({
    id: z.int().describe("Number of its record, which grows over restarts of the manager."),
    time: timestamp.describe("When it was received, before it took effect."),
    user: z.string(),
    role: z.enum(ROLES).nullable().describe("The role by which the user gave it; null: none."),
    via: z
      .string()
      .describe("How the user was identified: `basic`, `cookie`, `token`, `bearer`, `proxy`, `provider`, `local` or `in-process`."),
    client: z.string().nullable().describe("The program that the client said it is, such as `browser` or `mgr`."),
    address: z.string().nullable().describe("`<ip>:<port>` of the client; null over the local socket and in process."),
    command: z.string().describe("Type of the frame, method and path of an HTTP request, or an action such as `log_in`."),
    target: z.string().nullable().describe("Name of the process, group or other object."),
    args: z.record(z.string(), z.unknown()).describe("Arguments, without secrets; of long ones `bytes` and `sha256`."),
    outcome: z
      .enum(["accepted", "refused", "running", "unknown"])
      .describe("`unknown`: the manager was killed before the outcome was recorded."),
    code: errorCode.nullable().describe("Why it was refused."),
    message: z.string().nullable(),
  })
  .meta({ id: "AuditEntry", description: "A command that changes something, and its outcome." });
export type AuditEntry = z.infer<typeof auditEntry>;

export const auditCommands = clientFrames("Audit", {
  request_audit: {
    fields: {
      user: text(1, 255).exactOptional(),
      command: pattern.describe("fnmatch pattern of commands, such as `*_process`.").exactOptional(),
      names: z
        .array(pattern, { error: namesSay })
        .max(MAX_NAMES, { error: namesSay })
        .describe("fnmatch patterns of targets; a group includes its processes.")
        .exactOptional(),
      since: time.exactOptional(),
      until: time.exactOptional(),
      before: text(1, 64).describe("`before` of the page that is continued.").exactOptional(),
      limit: count(MAX_LISTED).describe(`Most entries; default ${DEFAULT_LISTED}, at most ${MAX_LISTED}.`).exactOptional(),
    },
    answer: "audit_page",
    scope: "global",
    role: "admin",
    readOnly: true,
    meaning: "Recorded commands, the newest first. For admins.",
  },
});

export const auditFrames = managerFrames("Audit", {
  audit_page: result(
    {},
    {
      entries: z.array(auditEntry),
      before: z
        .string()
        .nullable()
        .describe("Where the next page begins; null: there are no older entries. A page may have fewer entries than `limit`, or none."),
      problem: z.string().nullable().describe("Why commands cannot be recorded now."),
      unrecorded: z.int().describe("Records that were lost since the start of the manager."),
    },
    "Recorded commands.",
  ),
});
