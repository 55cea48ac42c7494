import type { CommandGroup } from "../../../cli/command/feature.ts";
import { connecting } from "../../../cli/command/option-values.ts";
import { GUI_PAGES } from "./manual.ts";

/** The command `mgr gui`. */
export const GUI_GROUP: CommandGroup = {
  pages: GUI_PAGES,
  add: (program) => {
    connecting(program.command("gui"))
      .description("on a desktop: show windows of processes on its X display, like ssh -X")
      .option("--display <name>", "the X display (default: DISPLAY)")
      .action(async (flags) => (await import("./gui.ts")).gui(flags));
  },
};
