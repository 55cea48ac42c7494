import type { CommandGroup } from "../../../cli/command/feature.ts";
import { connecting, runNumber } from "../../../cli/command/option-values.ts";
import { RUNS_PAGES } from "./manual.ts";

/** The commands `mgr runs` and `mgr save-output`. */
export const RUNS_GROUP: CommandGroup = {
  pages: RUNS_PAGES,
  add: (program) => {
    connecting(program.command("runs <name>"))
      .description("the last runs of a process: when and how they ended, and why")
      .option("--json", "one JSON array")
      .action(async (name, flags) => (await import("./runs.ts")).runs(name, flags));

    connecting(program.command("save-output <name> [file]"))
      .description("save the output of a process as a file, or that of a group as a zip; '-' is stdout")
      .option("--run <number>", "only one run: its number, 0 for the newest, -1 for the run before; of a group 0, -1 …", runNumber)
      .option("--raw", "with colours and all other control sequences")
      .option("-o, --output <file>", "the file, as FILE")
      .action(async (name, file, flags) => (await import("./save-output.ts")).saveOutput(name, file, flags));
  },
};
