import { type Command, InvalidArgumentError, Option } from "commander";
import { collected, connecting, count, duration, size } from "../../../cli/option-values.ts";
import { RECORDED_BESIDE } from "../recorded-beside.ts";

/** What can be recorded beside topics. */

const SPREADSHEET = "csv: put an apostrophe before text that a spreadsheet would take for a formula";

/** As the frame configure_logger allows. */
const MAX_LOG_SIZE = 100_000_000;
const MAX_DIVISOR = 1_000_000;

/** Recordings and loggers. The commands are loaded when they are run. */
export function addRecordCommands(program: Command): void {
  addRecordings(program.command("record").description("record topics to disk, and export what was recorded"));
  addLoggers(program.command("logger").description("keep the last samples of topics in memory, and download them"));
}

function addRecordings(record: Command): void {
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
    .option("--spreadsheet", SPREADSHEET)
    .option("--host <name>", "only files of this host")
    .option("--file <name>", "only this file")
    .action(async (name, file, flags) => (await import("./export.ts")).recordExport(name, file, flags));

  connecting(record.command("delete <names...>"))
    .description("delete recordings with all their files, or one file")
    .option("--file <name>", "only this file")
    .option("--host <name>", "the host of the file, if several have one of this name")
    .action(async (names, flags) => (await import("./stop.ts")).recordDelete(names, flags));
}

function addLoggers(logger: Command): void {
  connecting(logger.command("list [names...]"))
    .description("list loggers with their topics and the samples that they hold")
    .option("--json", "as JSON")
    .action(async (names, flags) => (await import("../../loggers/cli/list.ts")).loggerList(names, flags));

  connecting(logger.command("configure <name> <topics...>"))
    .description("make or change a logger: which topics it keeps, and how many samples of each")
    .option("--log-size <samples>", "samples to keep of each topic", whole(MAX_LOG_SIZE), 10_000)
    .option("--divisor <n>", "keep every n-th sample", whole(MAX_DIVISOR), 1)
    .option("--only-ts", "keep times without messages")
    .option("--add", "keep the logger's other topics as they are")
    .action(async (name, topics, flags) => (await import("../../loggers/cli/configure.ts")).loggerConfigure(name, topics, flags));

  for (const [verb, what] of [
    ["start", "keep samples from now on"],
    ["stop", "keep no new samples; those that are there stay"],
    ["delete", "delete loggers with their samples"],
  ] as const) {
    connecting(logger.command(`${verb} <names...>`))
      .description(what)
      .action(async (names, flags) => (await import("../../loggers/cli/control.ts")).loggerControl(verb, names, flags));
  }

  connecting(logger.command("download <name> [file]"))
    .description("save the samples of a logger; '-' writes to stdout")
    .addOption(formatOption(["pickle", "matlab", "raw", "mcap", "csv"], "pickle"))
    .option("-o, --output <path>", "the same as FILE (default: a name that the manager suggests)")
    .option("--stop", "stop the logger first")
    .option("--spreadsheet", SPREADSHEET)
    .action(async (name, file, flags) => (await import("../../loggers/cli/download.ts")).loggerDownload(name, file, flags));
}

/** `mat`, the ending of its files, means matlab. */
function formatOption(formats: readonly string[], preset: string): Option {
  return new Option("--format <format>", `format of the file: ${formats.join(", ")}`).default(preset).argParser((text: string) => {
    const format = text === "mat" ? "matlab" : text;
    if (!formats.includes(format)) throw new InvalidArgumentError(`Allowed choices are ${formats.join(", ")}.`);
    return format;
  });
}

function kinds(text: string): string[] {
  const named = text.split(",").map((kind) => kind.trim());
  if (named.some((kind) => !RECORDED_BESIDE.some((known) => known === kind)))
    throw new InvalidArgumentError(`expected some of ${RECORDED_BESIDE.join(",")}.`);
  return [...new Set(named)];
}

function whole(max: number) {
  return (text: string) => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < 1 || value > max) throw new InvalidArgumentError(`expected a whole number from 1 to ${max}.`);
    return value;
  };
}
