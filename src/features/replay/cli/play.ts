import { basename } from "node:path";
import { pause, systemClock } from "../../../base/clock.ts";
import { MgrError } from "../../../base/errors.ts";
import { visible } from "../../../base/visible-text.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { END_SIGNALS, untilInterrupted } from "../../../cli/command/interrupt.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import { formatTime } from "../../../protocol/time.ts";
import { busConnections } from "../../data-plane/cli/index.ts";
import { PlayedTopics } from "../client/played-topics.ts";
import { type Moment, timeOf } from "../player/play-options.ts";
import { PlaySource } from "../player/play-source.ts";
import { Player } from "../player/player.ts";
import { planTopics, type TopicPlan } from "../player/topic-plan.ts";
import { withoutLive } from "./live-publishers.ts";
import { clockText, withKeys } from "./player-keys.ts";

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
/** Time before the connection is closed, milliseconds: subscribers request definitions when the first message arrives. */
const LINGER_MS = 500;
const NS_PER_MS = 1_000_000n;

/** `mgr play FILE…`: publishes recorded topics until the end, or Ctrl-C. */
export async function play(paths: string[], flags: PlayFlags): Promise<void> {
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  if (flags.paused && !isTerminal) throw new CommandFailure(EXIT.usage, "--paused needs a terminal, in which a key resumes the play");
  await using source = await PlaySource.open(paths);
  const known = source.problems;
  for (const problem of known) warn(`${problem}: it is played as far as it goes`);
  const { from, until } = spanOf(source, flags);
  const chosen = planTopics(source.channels, { patterns: flags.topics ?? [], remaps: flags.remap ?? [] });
  const { connectData, needBusAddress } = await busConnections();
  const address = await needBusAddress(flags, "mgr play");
  const plan = await withoutLive(chosen, flags, flags.skipLive ?? false);
  for (const note of plan.notes) warn(note);
  await using client = await connectData(address, CLIENT, warn);
  let failure: MgrError | null = null;
  let stop = () => {};
  const refused = (error: MgrError) => {
    failure ??= error;
    stop();
  };
  const options = { client, channels: source.channels, plan, hasClock: flags.clock, refused };
  const output = await reserved(() => PlayedTopics.reserve(options));
  const player = new Player({
    source,
    output,
    clock: systemClock,
    wants: (topic) => plan.names.has(topic),
    from,
    until,
    rate: flags.rate,
    isLooping: flags.loop ?? false,
    isPaused: flags.paused ?? false,
  });
  stop = () => player.stop();
  process.stdout.write(`${beginText(paths, plan, { from, until })}\n`);
  const run = () => player.run();
  await untilInterrupted(async (interrupted) => {
    interrupted.addEventListener("abort", stop);
    await (isTerminal ? withKeys(player, run) : run());
    // What was published last may be refused, too.
    await output.confirm();
    await pause(systemClock, LINGER_MS, interrupted);
  }, END_SIGNALS);
  const late = player.lateMs >= 1 ? `, ${clockText(player.lateMs)} late: the messages could not be read or sent in time` : "";
  process.stdout.write(`${player.published} messages published${late}\n`);
  for (const problem of source.problems) if (!known.includes(problem)) warn(problem);
  if (failure !== null) throw failure;
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

function spanOf(source: PlaySource, flags: PlayFlags): { from: bigint; until: bigint } {
  const from = flags.from === undefined ? source.start : timeOf(flags.from, source.start);
  const until = flags.until === undefined ? source.end : timeOf(flags.until, source.start);
  const span = `the recording is from ${timeText(source.start)} to ${timeText(source.end)} UTC (${lengthText(source.start, source.end)})`;
  if (from > source.end || until < source.start || from > until)
    throw new CommandFailure(EXIT.usage, `there is nothing between --from and --until: ${span}`);
  return { from: from < source.start ? source.start : from, until: until > source.end ? source.end : until };
}

export function beginText(paths: readonly string[], { names }: TopicPlan, { from, until }: { from: bigint; until: bigint }): string {
  const [first = ""] = paths;
  const files = paths.length === 1 ? basename(first) : `${paths.length} files`;
  const topics = names.size === 1 ? "1 topic" : `${names.size} topics`;
  return visible(`playing ${files}: ${topics}, ${lengthText(from, until)} from ${timeText(from)} UTC`);
}

const timeText = (time: bigint): string => formatTime(Number(time / NS_PER_MS));
const lengthText = (from: bigint, until: bigint): string => clockText(Number((until - from) / NS_PER_MS));

function warn(message: string): void {
  process.stderr.write(`mgr: ${visible(message)}\n`);
}
