import type { CliFeature } from "../../../cli/command/feature.ts";
import { connecting } from "../../../cli/command/option-values.ts";
import { KEPT_PAGES } from "./manual.ts";

/** `mgr topic kept`; the group `mgr topic` comes before. */
export const storeForwardCli: CliFeature = {
  groups: [
    {
      pages: KEPT_PAGES,
      add: (program) => {
        const topic = program.commands.find((command) => command.name() === "topic") ?? program.command("topic");
        connecting(topic.command("kept [name]"))
          .description("show the samples that hosts keep because of a cut link")
          .option("--json", "as JSON")
          .action(async (name, flags) => (await import("./kept.ts")).kept(name, flags));
      },
    },
  ],
};
