import { InvalidArgumentError } from "commander";
import type { CommandGroup } from "../../../cli/command/feature.ts";
import { collected, connecting, count, duration, size } from "../../../cli/command/option-values.ts";
import { RECORDED_BESIDE } from "../recorded-beside.ts";
import { formatOption, SPREADSHEET } from "./format-option.ts";
import { RECORD_PAGES } from "./manual.ts";

/** Commands of `mgr record`. */
export const RECORD_GROUP: CommandGroup = {
  pages: RECORD_PAGES,
  add: (program) => {
    const record = program.command("record").description("record topics to disk, and export what was recorded");
    connecting(record.command("start <name> [topics...]"))
      .description("record topics to MCAP files on the hosts of their publishers")
      .option("--terminal <pattern>", "also the output of these processes; may be repeated", collected)
      .option("--include <kinds>", `also ${RECORDED_BESIDE.join(", ")}, separated by commas`, kinds)
      .option("--max-size <size>", "begin another file at this size, such as 1GiB", size)
      .option("--max-duration <time>", "begin another file after this time, such as 1h", duration)
      .option("--max-files <count>", "files on each host; the oldest is removed", count)
      .option("--min-free-space <size>", "with less free space, the disk counts as full", size)
      .option("--delete-oldest", "on a full disk remove the oldest files of this recording, instead of stopping")
      .action(async (name, topics, flags) => (await import("./start.ts")).recordStart(name, topics, flags));

    connecting(record.command("stop [names...]"))
      .description("end recordings, and wait until their files are complete; without names: list them")
      .action(async (names, flags) => (await import("./stop.ts")).recordStop(names, flags));

    connecting(record.command("list [names...]"))
      .description("list recordings with state, size, duration and losses")
      .option("--json", "as JSON")
      .action(async (names, flags) => (await import("./list.ts")).recordList(names, flags));

    connecting(record.command("info <name>"))
      .description("show the topics and files of a recording, or what is in an .mcap file")
      .option("--json", "as JSON")
      .action(async (name, flags) => (await import("./info.ts")).recordInfo(name, flags));

    connecting(record.command("export <name> [file]"))
      .description("download a recording, or convert it or an .mcap file")
      .addOption(formatOption(["mcap", "csv", "pickle", "matlab", "raw"], "mcap"))
      .option("-o, --output <path>", "the same as FILE (default: the name of the recording)")
      .option("--topic <pattern>", "only these topics; may be repeated; not for mcap", collected)
      .option("--merge", "mcap: one file with the messages of all files in the order of time, with the clocks of the hosts put right")
      .option("--spreadsheet", SPREADSHEET)
      .option("--host <name>", "only files of this host")
      .option("--file <name>", "only this file")
      .action(async (name, file, flags) => (await import("./export.ts")).recordExport(name, file, flags));

    connecting(record.command("delete <names...>"))
      .description("delete recordings with all their files, or one file")
      .option("--file <name>", "only this file")
      .option("--host <name>", "the host of the file, if several have one of this name")
      .action(async (names, flags) => (await import("./stop.ts")).recordDelete(names, flags));
  },
};

function kinds(text: string): string[] {
  const named = text.split(",").map((kind) => kind.trim());
  if (named.some((kind) => !RECORDED_BESIDE.some((known) => known === kind)))
    throw new InvalidArgumentError(`expected some of ${RECORDED_BESIDE.join(",")}.`);
  return [...new Set(named)];
}
