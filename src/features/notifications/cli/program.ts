import type { Command } from "commander";
import type { CommandGroup } from "../../../cli/command/feature.ts";
import { connecting, duration } from "../../../cli/command/option-values.ts";
import { NOTIFICATION_PAGES } from "./manual.ts";
import type { ListFlags, SilenceFlags } from "./notifications.ts";

/** The options of a command and of the one above it: that one reads those that both have. */
const all = <Flags extends object>(command: Command): Flags => command.optsWithGlobals<Flags>();
const code = () => import("./notifications.ts");

/** `mgr notifications` and `mgr silence`. */
export const NOTIFICATION_GROUP: CommandGroup = {
  pages: NOTIFICATION_PAGES,
  add: (program) => {
    const notifications = connecting(program.command("notifications"))
      .description("show the rules of notifications with what they match now, or what was sent")
      .option("--history", "what was sent, what waits and what was given up")
      .option("--json", "as JSON")
      .action(async (flags: ListFlags) => (await code()).notifications(flags));
    connecting(notifications.command("test <way>"))
      .description("send a test on a way, once")
      .action(async (way: string, _flags, command: Command) => (await code()).testWay(way, all(command)));

    const silence = connecting(program.command("silence"))
      .argument("[pattern]", "process, group, host or pattern")
      .description("hold back notifications about processes, groups or hosts, until an end")
      .option("--for <time>", "how long, such as 30m or 2h", duration)
      .option("--reason <text>", "why, for others")
      .option("--json", "as JSON")
      .action(async (pattern: string | undefined, flags: SilenceFlags) => (await code()).silence(pattern, flags));
    connecting(silence.command("list"))
      .description("list silences")
      .option("--json", "as JSON")
      .action(async (_flags, command: Command) => (await code()).silences(all(command)));
    connecting(silence.command("remove <ids...>"))
      .description("end silences")
      .action(async (ids: string[], _flags, command: Command) => (await code()).removeSilences(ids, all(command)));
  },
};
