import { resolve } from "node:path";
import type { CommandGroup } from "../../../cli/command/feature.ts";
import { connecting } from "../../../cli/command/option-values.ts";
import type { UpgradeFlags } from "./upgrade.ts";

/** `mgr upgrade`. */
export const UPGRADE_GROUP: CommandGroup = {
  pages: {
    upgrade: {
      about: `Install the new version first, in the place of the old one. Without HOSTS, the manager replaces its program, then the daemon of each connected host does. Processes
keep running, with their pids, terminals and output: a daemon replaces its program by execve, after the new one has read a copy of its state and accepted it.
A host whose installed program cannot take over is named with the reason, and goes on as before. With HOSTS, only their daemons replace their programs. See
docs/upgrades.md.`,
      json: "an array: name of the host (null: the manager), versions from and to (null: not known), and the problem (null: it was replaced)",
      examples: [
        ["mgr upgrade", "replace manager and daemons by the installed version"],
        ["mgr upgrade robot", "replace the daemon of one host"],
        ["mgr upgrade robot --node /opt/node-22/bin/node", "let its daemon run with another Node"],
      ],
    },
  },
  add: (program) => {
    connecting(program.command("upgrade [hosts...]"))
      .description("replace the programs of manager and daemons by the installed version; processes keep running")
      .option("--program <path>", "file daemon.cjs of the new version, on the host", (path) => resolve(path))
      .option("--node <path>", "Node for the daemon, on the host", (path) => resolve(path))
      .option("--json", "as JSON")
      .action(async (hosts: string[], flags: UpgradeFlags) => (await import("./upgrade.ts")).upgrade(hosts, flags));
  },
};
