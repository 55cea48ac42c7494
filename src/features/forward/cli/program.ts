import type { CommandGroup } from "../../../cli/command/feature.ts";
import { connecting } from "../../../cli/command/option-values.ts";
import { FORWARD_PAGES } from "./manual.ts";

/** The commands `mgr forward` and `mgr forwards`. */
export const FORWARD_GROUP: CommandGroup = {
  pages: FORWARD_PAGES,
  add: (program) => {
    connecting(program.command("forward <target>"))
      .description("reach a TCP port on the loopback interface of a host: [LOCAL_PORT:]HOST:PORT")
      .action(async (target, flags) => (await import("./forward.ts")).forward(target, flags));
    connecting(program.command("forwards"))
      .description("show open forwards with their users and bytes")
      .option("--close <id>", "close the forward with this id, with its connections")
      .option("--json", "as JSON")
      .action(async (flags) => (await import("./forwards.ts")).forwards(flags));
  },
};
