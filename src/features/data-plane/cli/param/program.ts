import type { CommandGroup } from "../../../../cli/command/feature.ts";
import { connecting } from "../../../../cli/command/option-values.ts";
import { PARAM_PAGES } from "./manual.ts";

/** Commands of `mgr param`. */
export const PARAM_GROUP: CommandGroup = {
  pages: PARAM_PAGES,
  add: (program) => {
    const param = program.command("param").description("list, override, save and restore parameters of programs");
    connecting(param.command("list [pattern]"))
      .description("list parameters with value and override")
      .option("--json", "as JSON")
      .action(async (pattern, flags) => (await import("./list.ts")).paramList(pattern ?? "*", flags));

    connecting(param.command("get <name>"))
      .description("print the value of a parameter")
      .option("--json", "as JSON, with everything about it")
      .action(async (name, flags) => (await import("./get.ts")).paramGet(name, flags));

    connecting(param.command("set <name> <value>"))
      .description("override a parameter")
      .option("--all", "all parameters of this name")
      .action(async (name, value, flags) => (await import("./set.ts")).paramSet(name, value, flags));

    connecting(param.command("clear <names...>"))
      .description("end the override of parameters")
      .option("--all", "all parameters of these names")
      .action(async (names, flags) => (await import("./set.ts")).paramClear(names, flags));

    connecting(param.command("dump [pattern]"))
      .description("print all overrides as YAML, for 'mgr param load'")
      .option("--json", "as JSON")
      .action(async (pattern, flags) => (await import("./file.ts")).paramDump(pattern ?? "*", flags));

    connecting(param.command("load <file>"))
      .description("set and clear overrides as they are in a file of 'mgr param dump'")
      .action(async (file, flags) => (await import("./file.ts")).paramLoad(file, flags));

    connecting(param.command("diff <file>"))
      .description("compare the overrides with a file of 'mgr param dump'; exit code 1 if they differ")
      .option("--json", "as JSON")
      .action(async (file, flags) => (await import("./file.ts")).paramDiff(file, flags));
  },
};
