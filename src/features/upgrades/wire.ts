import { z } from "zod";
import { hostName, text } from "../../protocol/frames/field-kinds.ts";
import { clientFrames, managerFrames, result } from "../../protocol/frames/frame-table.ts";

const says = "must be an absolute path of at most 4096 characters";
const path = text(1, 4_096, says).refine((value) => value.startsWith("/"), { error: says });

export const upgradeCommands = clientFrames("Upgrades", {
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
      program: path.describe("Path of the daemon's program on the host. Default: where the daemon was started.").exactOptional(),
      node: path.describe("Path of Node on the host. Default: the one that runs the daemon.").exactOptional(),
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
