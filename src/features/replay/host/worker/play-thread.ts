import { isDeepStrictEqual } from "node:util";
import { MgrError } from "../../../../base/errors.ts";
import { connectBus } from "../../../../bus/client/connect-bus.ts";
import { clientOnBus } from "../../../data-plane/client-on-bus.ts";
import { BusPlay } from "../../client/bus-play.ts";
import { type ControlAction, MAX_NOTES, MAX_PLAYED_TOPICS, MAX_SENTENCE, type PlayState } from "../../contract.ts";
import { planWithout } from "../../live-topics.ts";
import { type Moment, secondsNs } from "../../player/play-options.ts";
import { PlaySource } from "../../player/play-source.ts";
import { playSpan } from "../../player/play-span.ts";
import type { Player } from "../../player/player.ts";
import { planTopics, type TopicPlan } from "../../player/topic-plan.ts";
import type { PlayCommand, PlayReply, PlaySettings } from "./messages.ts";

/** Maximum size of the parts of a file that the thread holds, bytes: files of this program have chunks of 512 KiB, most others of 1 to 8 MiB. */
const FILE_LIMITS = { chunkBytes: 32 * 1024 * 1024, overlappingBytes: 64 * 1024 * 1024 };
/** Interval at which the state is sent while it changes by itself, milliseconds. */
const STATE_MS = 250;
/** The broker is in this program: it answers at once. */
const CONNECT_TIMEOUT_MS = 10_000;
const NS_PER_MS = 1_000_000n;

/** One play, from the opening of its files to its end. */
export class PlayThread {
  readonly #settings: PlaySettings;
  readonly #send: (reply: PlayReply) => void;
  readonly #begun: Promise<Extract<PlayCommand, { kind: "begin" }>["leftOut"]>;
  #begin: (leftOut: Extract<PlayCommand, { kind: "begin" }>["leftOut"]) => void = () => {};
  #player: Player | null = null;
  #notes: () => string[] = () => [];
  #told: PlayState | null = null;

  constructor(settings: PlaySettings, send: (reply: PlayReply) => void) {
    this.#settings = settings;
    this.#send = send;
    this.#begun = new Promise((resolve) => {
      this.#begin = resolve;
    });
  }

  receive(command: PlayCommand): void {
    if (command.kind === "begin") this.#begin(command.leftOut);
    else if (this.#player !== null) {
      control(this.#player, command.control);
      this.#tell(this.#player);
    }
  }

  /** Resolves when the play is over. Rejects with the reason why it could not begin, or ended early. */
  async run(): Promise<void> {
    const { paths, options } = this.#settings;
    await using source = await PlaySource.open(paths, FILE_LIMITS);
    const plan = planTopics(source.channels, { patterns: options.topics, remaps: options.remap });
    if (plan.names.size > MAX_PLAYED_TOPICS)
      throw new MgrError(
        "too_large",
        `${plan.names.size} topics; at most ${MAX_PLAYED_TOPICS} can be played together: choose some of them`,
      );
    const span = playSpan(source, momentOf(options.from), momentOf(options.until));
    this.#send({ kind: "opened", topics: [...plan.names.values()] });
    await this.#play(source, planWithout(plan, await this.#begun), span);
  }

  async #play(source: PlaySource, plan: TopicPlan, span: { from: bigint; until: bigint }): Promise<void> {
    const { client: name, url, options } = this.#settings;
    const problems: string[] = [];
    const log = (_level: unknown, message: string) => {
      if (problems.length < MAX_NOTES) problems.push(message);
    };
    const bus = await connectBus({ server: { kind: "url", urls: [url] }, name, log, signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) });
    await using client = await clientOnBus(bus, name, log);
    this.#notes = () => [...source.problems, ...plan.notes, ...problems].slice(0, MAX_NOTES).map((note) => note.slice(0, MAX_SENTENCE));
    const { rate, is_looping: isLooping, is_paused: isPaused, has_clock: hasClock } = options;
    const play = await BusPlay.reserve({ client, source, plan, span, rate, isLooping, isPaused, hasClock });
    const { player } = play;
    this.#player = player;
    const topics = [...plan.names.values()].sort();
    this.#send({ kind: "begun", startMs: Number(span.from / NS_PER_MS), topics, state: this.#stateOf(player) });
    const timer = setInterval(() => this.#tell(player), STATE_MS);
    try {
      await player.run();
    } finally {
      clearInterval(timer);
    }
    await play.finish();
    this.#tell(player);
    if (play.failure !== null) throw play.failure;
  }

  /** Sends the state if it has changed. */
  #tell(player: Player): void {
    const state = this.#stateOf(player);
    if (isDeepStrictEqual(state, this.#told)) return;
    this.#told = state;
    this.#send({ kind: "state", state });
  }

  #stateOf({ position, length, rate, isPaused, isLooping, published, lateMs }: Player): PlayState {
    return {
      position_ms: position,
      length_ms: length,
      rate,
      is_paused: isPaused,
      is_looping: isLooping,
      published,
      late_ms: lateMs,
      notes: this.#notes(),
    };
  }
}

function control(player: Player, what: ControlAction): void {
  if (what.action === "seek") player.seek(what.position_ms);
  else if (what.action === "rate") player.setRate(what.rate);
  else if (what.action === "loop") player.isLooping = what.is_looping;
  else player[what.action]();
}

const momentOf = (seconds: number | null): Moment | null => (seconds === null ? null : { kind: "offset", ns: secondsNs(seconds) });
