import type { CommandGroup } from "../../../cli/command/feature.ts";
import { connecting, wholeNumber } from "../../../cli/command/option-values.ts";
import { ANALYZE_PAGES } from "./manual.ts";

const DEFAULT_LONGEST = 10;
const MAX_LONGEST = 10_000;

/** The command `mgr analyze`. */
export const ANALYZE_GROUP: CommandGroup = {
  pages: ANALYZE_PAGES,
  add: (program) => {
    connecting(program.command("analyze [name]"))
      .description("show the last start of a group, or of all: what waited for what, and what took longest")
      .option("--limit <count>", "number of processes in the list of the longest ones", wholeNumber(MAX_LONGEST), DEFAULT_LONGEST)
      .option("--json", "as JSON")
      .action(async (name, flags) => (await import("./analyze.ts")).analyze(name, flags));
  },
};
