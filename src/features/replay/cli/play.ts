import { basename } from "node:path";
import { MgrError } from "../../../base/errors.ts";
import { visible } from "../../../base/text/visible-text.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { END_SIGNALS, untilInterrupted } from "../../../cli/command/interrupt.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import { busConnections } from "../../data-plane/cli/index.ts";
import { BusPlay } from "../client/bus-play.ts";
import { clockText } from "../player/clock-text.ts";
import type { Moment } from "../player/play-options.ts";
import { PlaySource } from "../player/play-source.ts";
import { lengthText, type PlaySpan, playSpan, timeText } from "../player/play-span.ts";
import { planTopics, type TopicPlan } from "../player/topic-plan.ts";
import { withoutLive } from "./live-publishers.ts";
import { withKeys } from "./player-keys.ts";

export interface PlayFlags extends ConnectionFlags {
  rate: number;
  topics?: string[];
  remap?: string[];
  loop?: boolean;
  from?: Moment;
  until?: Moment;
  paused?: boolean;
  skipLive?: boolean;
  clock: boolean;
}

/** Name of the client on the bus. */
const CLIENT = "mgr play";

/** `mgr play FILE…`: publishes recorded topics until the end, or Ctrl-C. */
export async function play(paths: string[], flags: PlayFlags): Promise<void> {
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  if (flags.paused && !isTerminal) throw new CommandFailure(EXIT.usage, "--paused needs a terminal, in which a key resumes the play");
  await using source = await PlaySource.open(paths);
  const known = source.problems;
  for (const problem of known) warn(`${problem}: it is played as far as it goes`);
  const span = playSpan(source, flags.from ?? null, flags.until ?? null);
  const chosen = planTopics(source.channels, { patterns: flags.topics ?? [], remaps: flags.remap ?? [] });
  const { connectData, needBusAddress } = await busConnections();
  const address = await needBusAddress(flags, "mgr play");
  const plan = await withoutLive(chosen, flags, flags.skipLive ?? false);
  for (const note of plan.notes) warn(note);
  await using client = await connectData(address, CLIENT, warn);
  const { rate, loop: isLooping = false, paused: isPaused = false, clock: hasClock } = flags;
  const play = await reserved(() => BusPlay.reserve({ client, source, plan, span, rate, isLooping, isPaused, hasClock }));
  const { player } = play;
  process.stdout.write(`${beginText(paths, plan, span)}\n`);
  const run = () => player.run();
  await untilInterrupted(async (interrupted) => {
    interrupted.addEventListener("abort", () => player.stop());
    await (isTerminal ? withKeys(player, run) : run());
    await play.finish(interrupted);
  }, END_SIGNALS);
  const late = player.lateMs >= 1 ? `, ${clockText(player.lateMs)} late: the messages could not be read or sent in time` : "";
  process.stdout.write(`${player.published} messages published${late}\n`);
  for (const problem of source.problems) if (!known.includes(problem)) warn(problem);
  if (play.failure !== null) throw play.failure;
}

/** The conflict of a registration, with what to do. */
async function reserved<T>(reserve: () => Promise<T>): Promise<T> {
  try {
    return await reserve();
  } catch (error) {
    if (!(error instanceof MgrError) || error.code !== "conflict") throw error;
    const isClock = error.message.includes("mgr/clock");
    const advice = isClock ? "another play runs: use --no-clock" : "use --remap or --topics";
    throw new CommandFailure(EXIT.failed, visible(`${error.message} (or ${advice})`));
  }
}

export function beginText(paths: readonly string[], { names }: TopicPlan, span: PlaySpan): string {
  const [first = ""] = paths;
  const files = paths.length === 1 ? basename(first) : `${paths.length} files`;
  const topics = names.size === 1 ? "1 topic" : `${names.size} topics`;
  return visible(`playing ${files}: ${topics}, ${lengthText(span)} from ${timeText(span.from)} UTC`);
}

function warn(message: string): void {
  process.stderr.write(`mgr: ${visible(message)}\n`);
}
