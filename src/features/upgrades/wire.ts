import { z } from "zod";
import { hostName, text } from "../../protocol/frames/field-kinds.ts";
import { clientFrames, managerFrames, result } from "../../protocol/frames/frame-table.ts";

const path = text(1, 4_096);

export const upgradeCommands = clientFrames("Upgrades", {
  request_versions: {
    fields: {},
    answer: "versions",
    scope: "own",
    role: "viewer",
    readOnly: true,
    meaning: "The version of the manager's program, and that of the program which is installed now. Those of hosts are in `host_list`.",
  },
  upgrade_manager: {
    fields: {},
    answer: "manager_upgraded",
    scope: "global",
    role: "admin",
    meaning:
      "Replaces the program of the manager by the one that is installed now. All connections are closed; processes go on, and the new program adopts them. Nothing changes if the answer has a problem.",
  },
  upgrade_host: {
    fields: {
      host: hostName,
      program: path.describe("Absolute path of the daemon's program on the host. Default: where the daemon was started.").exactOptional(),
      node: path.describe("Absolute path of Node on the host. Default: the one that runs the daemon.").exactOptional(),
    },
    answer: "host_upgraded",
    scope: "global",
    role: "admin",
    meaning:
      "Replaces the program of a host's daemon; its processes, terminals and output stay. Answered when the host is connected again. `conflict`: the new program cannot take over, and nothing changes.",
  },
});

const version = z.string().nullable().describe("Null: not known.");

export const upgradeFrames = managerFrames("Upgrades", {
  versions: result(
    {},
    {
      running: z.string().describe("Of the manager's program."),
      installed: version.describe("Of the program that is installed where the manager was started; null: it cannot be read."),
      problem: z.string().nullable().describe("Why `upgrade_manager` cannot replace the manager's program; null: it can."),
    },
    "The versions of the program that runs, and of the installed one.",
  ),
  manager_upgraded: result(
    {},
    {
      from: z.string(),
      to: version,
      problem: z
        .string()
        .nullable()
        .describe(
          "Why the program is not replaced: the manager is in the foreground, or the installed program cannot be started. Null: it is.",
        ),
    },
    "The versions of the replaced program, and of the one that now starts.",
  ),
  host_upgraded: result({ host: z.string() }, { from: version, to: version }, "The versions of the replaced program, and of the new one."),
});
