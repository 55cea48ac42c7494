import type { CommandGroup } from "../../../cli/command/feature.ts";
import { connecting, seconds } from "../../../cli/command/option-values.ts";
import { MODES_PAGES } from "./manual.ts";

/** The command `mgr mode`. */
export const MODES_GROUP: CommandGroup = {
  pages: MODES_PAGES,
  add: (program) => {
    connecting(program.command("mode [mode]"))
      .description("list the modes, or switch to one")
      .option("--dry-run", "show what the switch would start and stop, and change nothing")
      .option("-y, --yes", "do not ask, also if processes end that are configured to be confirmed")
      .option("--no-wait", "do not wait for the end of the switch")
      .option("--timeout <seconds>", "how long to wait", seconds, 300)
      .option("--json", "as JSON")
      .action(async (mode, flags) => (await import("./mode.ts")).mode(mode, flags));
  },
};
