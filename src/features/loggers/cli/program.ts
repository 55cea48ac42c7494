import type { CommandGroup } from "../../../cli/command/feature.ts";
import { connecting, wholeNumber } from "../../../cli/command/option-values.ts";
import { formatOption, SPREADSHEET } from "../../recordings/cli/index.ts";
import { MAX_DIVISOR, MAX_LOG_SIZE } from "../limits.ts";
import { LOGGER_PAGES } from "./manual.ts";

/** Commands of `mgr logger`. */
export const LOGGER_GROUP: CommandGroup = {
  pages: LOGGER_PAGES,
  add: (program) => {
    const logger = program.command("logger").description("keep the last samples of topics in memory, and download them");
    connecting(logger.command("list [names...]"))
      .description("list loggers with their topics and the samples that they hold")
      .option("--json", "as JSON")
      .action(async (names, flags) => (await import("./list.ts")).loggerList(names, flags));

    connecting(logger.command("configure <name> <topics...>"))
      .description("make or change a logger: which topics it keeps, and how many samples of each")
      .option("--log-size <samples>", "samples to keep of each topic", wholeNumber(MAX_LOG_SIZE), 10_000)
      .option("--divisor <n>", "keep every n-th sample", wholeNumber(MAX_DIVISOR), 1)
      .option("--only-ts", "keep times without messages")
      .option("--add", "keep the logger's other topics as they are")
      .action(async (name, topics, flags) => (await import("./configure.ts")).loggerConfigure(name, topics, flags));

    for (const [verb, what] of [
      ["start", "keep samples from now on"],
      ["stop", "keep no new samples; those that are there stay"],
      ["delete", "delete loggers with their samples"],
    ] as const) {
      connecting(logger.command(`${verb} <names...>`))
        .description(what)
        .action(async (names, flags) => (await import("./control.ts")).loggerControl(verb, names, flags));
    }

    connecting(logger.command("download <name> [file]"))
      .description("save the samples of a logger; '-' writes to stdout")
      .addOption(formatOption(["pickle", "matlab", "raw", "mcap", "csv"], "pickle"))
      .option("-o, --output <path>", "the same as FILE (default: a name that the manager suggests)")
      .option("--stop", "stop the logger first")
      .option("--spreadsheet", SPREADSHEET)
      .action(async (name, file, flags) => (await import("./download.ts")).loggerDownload(name, file, flags));
  },
};
