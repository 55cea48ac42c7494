import type { CommandGroup } from "../../../cli/command/feature.ts";
import { connecting } from "../../../cli/command/option-values.ts";
import { ALERTS_PAGES } from "./manual.ts";

/** The command `mgr alerts`. */
export const ALERTS_GROUP: CommandGroup = {
  pages: ALERTS_PAGES,
  add: (program) => {
    connecting(program.command("alerts [names...]"))
      .description("show processes that need attention although they run: silent ones, and those whose output matched")
      .option("--clear", "dismiss the alerts of NAMES, which are needed then")
      .option("--json", "as JSON")
      .action(async (names, flags) => (await import("./alerts.ts")).alerts(names, flags));
  },
};
