import { Option } from "commander";
import type { CommandGroup } from "../../../cli/command/feature.ts";
import { connecting } from "../../../cli/command/option-values.ts";
import { COMPLETION_PAGES } from "./manual.ts";
import { SHELLS } from "./shell-name.ts";

/** The commands `mgr completion …`. */
export const COMPLETION_GROUP: CommandGroup = {
  pages: COMPLETION_PAGES,
  add: (program) => {
    const completion = program.command("completion").description("complete commands, options and names in bash, zsh and fish");
    for (const shell of SHELLS) {
      completion
        .command(shell)
        .description(`print the completion script for ${shell}`)
        .action(async () => (await import("./shells/script.ts")).printScript(shell, program));
    }
    completion
      .command("install")
      .description("install the completion script for this user")
      .addOption(new Option("--shell <shell>", "the shell (default: that of SHELL)").choices(SHELLS))
      .action(async (flags) => (await import("./install.ts")).install(flags, program));
    connecting(completion.command("names <kinds...>"))
      .description("list names of objects, for completion scripts")
      .option("--prefix <text>", "only names that begin with this text", "")
      .action(async (kinds, flags) => (await import("./names.ts")).names(kinds, flags));
  },
};
