import type { CommandGroup } from "../../../cli/command/feature.ts";
import { connecting } from "../../../cli/command/option-values.ts";
import { LIMITS_PAGES } from "./manual.ts";

/** The command `mgr limits`. */
export const LIMITS_GROUP: CommandGroup = {
  pages: LIMITS_PAGES,
  add: (program) => {
    connecting(program.command("limits [names...]"))
      .description("show limits that processes have reached, and cgroup limits that are not in effect")
      .option("--clear", "dismiss the reached limits of NAMES, which are needed then")
      .option("--json", "as JSON")
      .action(async (names, flags) => (await import("./limits.ts")).limits(names, flags));
  },
};
