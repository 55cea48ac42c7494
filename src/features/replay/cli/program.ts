import { InvalidArgumentError } from "commander";
import type { CommandGroup } from "../../../cli/command/feature.ts";
import { collected, connecting } from "../../../cli/command/option-values.ts";
import { MAX_RATE, MIN_RATE, parseMoment } from "../player/play-options.ts";
import { PLAY_PAGES } from "./manual.ts";

/** The command `mgr play`. */
export const PLAY_GROUP: CommandGroup = {
  pages: PLAY_PAGES,
  add: (program) => {
    connecting(program.command("play <files...>"))
      .description("publish the topics of recorded MCAP files again, at the times at which they were recorded")
      .option("--rate <factor>", "seconds of the recording a second", rate, 1)
      .option("--topics <pattern>", "only these topics; may be repeated (default: all but mgr/*)", collected)
      .option("--remap <old=new>", "publish a topic under another name; 'sim/*=old/*' for several; may be repeated", collected)
      .option("--loop", "begin again at the end")
      .option("--from <moment>", "begin here: seconds, 1m30s, or a time such as 2026-11-26T14:30", moment)
      .option("--until <moment>", "end here", moment)
      .option("--paused", "begin paused")
      .option("--skip-live", "leave out topics that are published now, instead of refusing to play")
      .option("--no-clock", "do not publish the time of the play as mgr/clock")
      .action(async (files, flags) => (await import("./play.ts")).play(files, flags));
  },
};

function rate(text: string): number {
  const value = Number(text);
  if (!(value >= MIN_RATE && value <= MAX_RATE)) throw new InvalidArgumentError(`expected a number from ${MIN_RATE} to ${MAX_RATE}.`);
  return value;
}

function moment(text: string) {
  const parsed = parseMoment(text);
  if (parsed === null) throw new InvalidArgumentError("expected seconds, a duration such as 1m30s, or a time such as 2026-11-26T14:30.");
  return parsed;
}
