import { Option } from "commander";
import type { CommandGroup } from "../../command/feature.ts";
import { connecting } from "../../command/option-values.ts";
import { CONFIGURATION_PAGES } from "./manual.ts";

/** The configuration of a running manager. */
export const CONFIGURATION: CommandGroup = {
  pages: CONFIGURATION_PAGES,
  add: (program) => {
    connecting(program.command("plan"))
      .description("show what a reload of the configuration would change")
      .option("--json", "as JSON")
      .action(async (flags) => (await import("./reload.ts")).plan(flags));

    connecting(program.command("reload"))
      .description("reload the configuration; unchanged processes keep running")
      .option("--dry-run", "change nothing, as 'mgr plan'")
      .option("--json", "as JSON")
      .action(async (flags) => (await import("./reload.ts")).reload(flags));

    connecting(program.command("graph [names...]"))
      .description("show the dependencies between processes, with commands and states")
      .addOption(new Option("--dot", "output for Graphviz").conflicts(["mermaid", "json"]))
      .addOption(new Option("--mermaid", "output for Mermaid").conflicts(["dot", "json"]))
      .option("--json", "as JSON")
      .action(async (names, flags) => (await import("./graph.ts")).graph(names, flags));
  },
};
