import { Option } from "commander";
import { LOG_LEVELS } from "../../../protocol/resources/log-level.ts";
import type { CommandGroup } from "../../command/feature.ts";
import { age, connecting, count, runNumber } from "../../command/option-values.ts";
import { MESSAGE_PAGES } from "./manual.ts";

/** Commands about output and the log. */
export const MESSAGES: CommandGroup = {
  pages: MESSAGE_PAGES,
  add: (program) => {
    connecting(program.command("log"))
      .description("print the manager's own log")
      .option("-f, --follow", "continue with new entries")
      .option("-n, --lines <count>", "number of past entries to show (default: all)", count)
      .addOption(new Option("--level <level>", "lowest level").choices(LOG_LEVELS).default("info"))
      .option("--json", "one JSON object per line")
      .action(async (flags) => (await import("./log.ts")).log(flags));

    connecting(program.command("logs [names...]"))
      .description("print the output of processes; without NAMES of all")
      .option("-f, --follow", "continue with new entries")
      .option("-n, --lines <count>", "number of past lines to show for each process (default: 1000, without NAMES 20)", count)
      .option("--since <time>", "only output since a time, or of the last 30s, 10m, 2h (for example 14:30, 2026-11-22T14:30)", age)
      .option("--timestamps", "print the time (UTC) before each line, precise to a second at first")
      .option("--run <number>", "only the output of one run of a process: its number, 0 for the newest, -1 for the run before", runNumber)
      .option("--raw", "print all control sequences, also on a terminal")
      .action(async (names, flags) => (await import("./logs.ts")).logs(names, flags));

    connecting(program.command("call <json>"))
      .description("send any frame of the protocol and print the response")
      .action(async (json, flags) => (await import("./call.ts")).call(json, flags));
  },
};
