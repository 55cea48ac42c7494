import type { CommandGroup } from "../../../cli/command/feature.ts";
import { connecting, window } from "../../../cli/command/option-values.ts";
import { NET_PAGES } from "./manual.ts";

/** Maximum length of one measurement, seconds; the manager has the same limit. */
const MAX_WINDOW_SECONDS = 60;

/** Traffic between hosts, and the networks that they are in. */
export const NET_GROUP: CommandGroup = {
  pages: NET_PAGES,
  add: (program) => {
    const net = connecting(program.command("net"))
      .description("measure the traffic between hosts, and show what is wrong with it")
      .option("--seconds <seconds>", "length of one measurement", window(MAX_WINDOW_SECONDS), 2)
      .option("-w, --watch", "measure again and again until Ctrl-C")
      .option("--json", "as JSON")
      .action(async (flags) => (await import("./net.ts")).net(flags));
    connecting(net.command("topology"))
      .description("show networks, the interfaces in them, and gateways")
      .option("--json", "as JSON")
      .action(async (_flags, command) => (await import("./net.ts")).netTopology(command.optsWithGlobals()));
    connecting(net.command("tcp <host>"))
      .description("list the TCP connections of a host's programs")
      .option("--json", "as JSON")
      .action(async (host, _flags, command) => (await import("./net.ts")).netTcp(host, command.optsWithGlobals()));
  },
};
