import type { CommandGroup } from "../../../cli/command/feature.ts";
import { connecting } from "../../../cli/command/option-values.ts";
import { CRASH_PAGES } from "./manual.ts";

/** Commands about crash reports. */
export const CRASH_GROUP: CommandGroup = {
  pages: CRASH_PAGES,
  add: (program) => {
    connecting(program.command("crash [name] [run]"))
      .description("show why a process failed: its last output, core dump, kernel messages, load")
      .option("--list", "list the crashes of the process instead of showing the newest one")
      .option("--save <file>", "write the report to a file: as JSON, or as text if its name ends in .txt")
      .option("--delete", "delete the report of RUN, or all reports of the process")
      .option("--json", "as JSON")
      .action(async (name, run, flags) => (await import("./crash.ts")).crash(name, run, flags));
  },
};
