import type { CommandGroup } from "../../../../cli/command/feature.ts";
import { connecting, window } from "../../../../cli/command/option-values.ts";
import { SCOPE_PAGES } from "./manual.ts";

/** The command `mgr scope`. */
export const SCOPE_GROUP: CommandGroup = {
  pages: SCOPE_PAGES,
  add: (program) => {
    connecting(program.command("scope [traces...]"))
      .description("plot fields of topics in this terminal, live; TRACE is TOPIC.FIELD")
      .option("--window <seconds>", "length of the time axis", window(120), 10)
      .action(async (traces, flags) => (await import("./command.ts")).oscilloscope(traces, flags));
  },
};
