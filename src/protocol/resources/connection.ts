import { z } from "zod";
import { ROLES } from "../../base/access/access.ts";
import { featureSnapshotFields } from "../../features/wire.ts";
import { requestId } from "../frames/field-kinds.ts";
import { answer, change, clientFrames, errorCode, event, managerFrames } from "../frames/frame-table.ts";
import { process } from "../process/process.ts";
import { client } from "./client.ts";
import { vncSession, webXDisplay } from "./display.ts";
import { hostEntry, startTool } from "./host.ts";
import { LOG_LEVELS } from "./log-level.ts";
import { processTreeNode } from "./tree.ts";

const managerInfo = z
  .object({
    name: z.string().describe("Of the instance."),
    host: z.string().describe("Canonical name of the manager's own host."),
    save_problem: z
      .string()
      .nullable()
      .describe(
        "Why what users request cannot be saved at the moment, for example a full disk. It is done all the same; a crash would forget it.",
      ),
  })
  .meta({ id: "Manager" });
export type ManagerInfo = z.infer<typeof managerInfo>;

const grant = z
  .object({
    role: z.enum(ROLES),
    on: z.array(z.string()).nullable().describe("Patterns of the names of processes; null: everything."),
    may_download: z.boolean().describe("A viewer may also download."),
    may_type: z.boolean().describe("An operator may also type into terminals."),
  })
  .meta({ id: "Grant" });

const snapshotFields = {
  webui_asset_hash: z.string().describe("Content hash of the page's files: a page that embeds another one reloads."),
  manager: managerInfo,
  hosts: z.array(z.string()).describe("Canonical host names; superseded by `host_list`."),
  host_list: z.array(hostEntry),
  start_tools: z.array(startTool),
  process_tree: z.array(processTreeNode).describe("Root nodes."),
  processes: z.array(process),
  clients: z.array(client),
  web_x_display: webXDisplay.exactOptional().describe("On full connections."),
  vnc_sessions: z.array(vncSession),
  ...featureSnapshotFields,
  log_min_level: z.enum(LOG_LEVELS).describe("Of this connection."),
  access: z
    .object({ user: z.string(), grants: z.array(grant) })
    .exactOptional()
    .describe("What the user of this connection may do. Absent from managers without roles: everything."),
};
const snapshot = z.object(snapshotFields);
export type Snapshot = z.infer<typeof snapshot>;

export const connectionCommands = clientFrames("Connection", {
  get_snapshot: {
    fields: {},
    answer: "snapshot",
    scope: "own",
    role: "viewer",
    readOnly: true,
    meaning: "The whole state in view. Events after it never miss or repeat a change.",
  },
});

export const connectionFrames = managerFrames("Connection", {
  snapshot: answer(snapshotFields, "The whole state in view."),
  ack: event(
    { request_type: z.string(), request_id: requestId },
    "A frame without an answer of its own was accepted. Only if it had a request_id. A start, stop or restart is saved by then: it is carried out even if the manager is killed.",
  ),
  manager_upsert: change({ manager: managerInfo }, "Something about the manager itself changed.", () => "manager"),
  error: answer(
    {
      message: z.string().describe("A sentence for a person."),
      code: errorCode,
      request_type: z.string().exactOptional().describe("Type of the frame that is answered, where it could be read."),
    },
    "A frame was refused and changed nothing.",
  ),
});
