import type { CommandGroup } from "../../../cli/command/feature.ts";
import { connecting } from "../../../cli/command/option-values.ts";
import { SHOW_PAGES } from "./manual.ts";

/** The command `mgr show`. */
export const SHOW_GROUP: CommandGroup = {
  pages: SHOW_PAGES,
  add: (program) => {
    connecting(program.command("show <name>"))
      .description("show what a process runs with, beside what is configured: environment, limits, folder, user, scheduling")
      .option("--differences", "only what differs")
      .option("--json", "as JSON")
      .action(async (name, flags) => (await import("./show.ts")).show(name, flags));
  },
};
