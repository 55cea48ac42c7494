import { Option } from "commander";
import type { CommandGroup } from "../../command/feature.ts";
import { configuration, profile, seconds, trust } from "../../command/option-values.ts";
import { INSTANCE_PAGES } from "./manual.ts";

/** Begin and end of an instance. */
export const INSTANCE: CommandGroup = {
  pages: INSTANCE_PAGES,
  add: (program) => {
    program
      .command("up [names...]")
      .description("run the manager, and start NAMES and all processes with 'autostart: true'")
      .addOption(configuration())
      .addOption(trust())
      .addOption(profile())
      .option("-d, --detach", "run the manager in the background")
      .option("--all", "start every process")
      .option("--no-output", "in the foreground, do not print the output of processes")
      .option("--keep", "leave the processes running when the manager ends")
      .addOption(new Option("--abort-on-failure", "stop everything when a process fails, and exit with its exit code").conflicts("detach"))
      .addOption(
        new Option("--exit-with <name>", "start this process too; when it ends, stop everything and exit with its exit code").conflicts(
          "detach",
        ),
      )
      .action(async (names, flags) => (await import("./up.ts")).up(names, flags));

    program
      .command("down")
      .description("stop all processes in reverse order, then the manager and its daemon")
      .addOption(configuration())
      .addOption(trust())
      .addOption(profile())
      .option("--timeout <seconds>", "how long to wait", seconds, 60)
      .action(async (flags) => (await import("./down.ts")).down(flags));
  },
};
