import { MgrError } from "../../../base/errors.ts";
import { checkOptions } from "../../../base/options.ts";
import { type Broker, createBroker } from "../../../bus/broker/broker.ts";
import { permissionsOf } from "../../../bus/broker/permissions.ts";
import { connectBus } from "../../../bus/client/connect-bus.ts";
import { Registry } from "../../../bus/registry/registry.ts";
import { formatTime } from "../../../protocol/time.ts";
import { SimulatedClock } from "../../../testing/simulated-clock.ts";
import type { DataClient } from "../../data-plane/client/index.ts";
import { clientOnBus } from "../../data-plane/client-on-bus.ts";
import { PlayedTopics } from "../client/played-topics.ts";
import { secondsNs } from "../player/play-options.ts";
import { PlaySource } from "../player/play-source.ts";
import { planTopics, type TopicPlan } from "../player/topic-plan.ts";

export interface ReplayOptions {
  /** Names of topics and fnmatch patterns; default: all topics. */
  topics?: readonly string[];
  /** Other names for topics: `{"arm/state": "arm/recorded"}`; `*` at the end of both stands for all names that begin so. */
  remap?: Readonly<Record<string, string>>;
  /** First moment that is played, in seconds since the first message. */
  from?: number;
}

const NS_PER_MS = 1_000_000n;
/** Maximum number of times that clients may answer each other at one moment. */
const MAX_ROUNDS = 10_000;
/** Number of rounds without a message after which none is on its way. */
const QUIET_ROUNDS = 2;
const isSeconds = (value: unknown): boolean => typeof value === "number" && value >= 0;
const isNames = (value: unknown): boolean => Array.isArray(value) && value.every((each) => typeof each === "string");
const RULES = {
  topics: { is: "an array of names and patterns", holds: isNames },
  remap: { is: "an object of names", holds: (value: unknown) => isNames(Object.values(Object(value))) },
  from: { is: "a number of seconds", holds: isSeconds },
};

/**
 * Plays MCAP files to programs within this one, on a bus of their own and in simulated time: each message is published when everything that followed
 * from the one before has happened, so every run gives the same results, as fast as they are computed. See docs/replay.md.
 */
export class Replay implements AsyncDisposable {
  /** Simulated time, which begins with the recording; for timers and times of the programs. */
  readonly clock: SimulatedClock;
  readonly #source: PlaySource;
  readonly #plan: TopicPlan;
  readonly #broker: Broker;
  readonly #clients = new Set<DataClient>();
  /** Nanoseconds since 1970 at which `clock` begins. */
  readonly #begin: bigint;
  readonly #problems: string[] = [];
  #from: bigint;
  #topics: PlayedTopics | null = null;

  private constructor(source: PlaySource, options: ReplayOptions) {
    this.#source = source;
    const remaps = Object.entries(options.remap ?? {}).map(([old, name]) => `${old}=${name}`);
    this.#plan = planTopics(source.channels, { patterns: options.topics ?? [], remaps });
    this.#from = source.start + secondsNs(options.from ?? 0);
    const beginMs = this.#from / NS_PER_MS;
    this.#begin = beginMs * NS_PER_MS;
    this.clock = new SimulatedClock(formatTime(Number(beginMs)));
    const place = () => ({ port: 0, unix_socket: null });
    this.#broker = createBroker({ hooks: new Registry({ host: "replay", server: "leaf", place, log: this.#log }) });
  }

  /** Rejects with `not_found`, `bad_field` and `too_large`. */
  static async open(paths: string | readonly string[], options: ReplayOptions = {}): Promise<Replay> {
    checkOptions("openReplay", options, RULES);
    const source = await PlaySource.open(typeof paths === "string" ? [paths] : paths);
    try {
      return new Replay(source, options);
    } catch (error) {
      await source[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Files that could not be read to their ends, and what clients have reported. */
  get problems(): readonly string[] {
    return [...this.#source.problems, ...this.#problems];
  }

  /** Connects a program that is tested, as `connectClient` does. */
  async connect(name: string): Promise<DataClient> {
    const permissions = permissionsOf({ kind: "client", name, run_id: `replay-${this.#clients.size + 1}` });
    const bus = await connectBus({ server: { kind: "memory", broker: this.#broker, permissions }, name, log: this.#log });
    const client = await clientOnBus(bus, name, this.#log);
    this.#clients.add(client);
    return client;
  }

  /**
   * Plays to the end, or up to a moment, in seconds since the first message of the recording; the next call continues there. Resolves with the number of
   * messages when all programs have handled them. Rejects with `conflict` if a program publishes a topic that is played.
   */
  async run({ until }: { until?: number } = {}): Promise<number> {
    const end = until === undefined ? this.#source.end : this.#source.start + secondsNs(until);
    const topics = this.#topics ?? (await this.#reserve());
    this.#topics = topics;
    await this.#settle();
    let count = 0;
    for await (const message of this.#source.messages(this.#from, (topic) => this.#plan.names.has(topic))) {
      if (message.logTime > end) break;
      await this.#advance(message.logTime);
      topics.time(message.logTime, 1);
      await topics.publish(message);
      count++;
      await this.#settle();
    }
    await this.#advance(end);
    if (end >= this.#from) this.#from = end + 1n;
    return count;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async close(): Promise<void> {
    for (const client of this.#clients) await client.close();
    await this.#broker.close();
    await this.#source[Symbol.asyncDispose]();
  }

  async #reserve(): Promise<PlayedTopics> {
    const client = await this.connect("mgr replay");
    const { channels } = this.#source;
    const refused = ({ message }: MgrError) => this.#problems.push(message);
    return PlayedTopics.reserve({ client, channels, plan: this.#plan, hasClock: true, refused });
  }

  /** Advances the clock to a time of the recording; after each timer, everything that follows from it happens. */
  async #advance(time: bigint): Promise<void> {
    const target = Number(time - this.#begin) / Number(NS_PER_MS);
    for (let due = this.clock.nextDue; due !== null && due <= target; due = this.clock.nextDue) {
      await this.clock.advance(Math.max(0, due - this.clock.monotonic()));
      await this.#settle();
    }
    await this.clock.advance(Math.max(0, target - this.clock.monotonic()));
  }

  /** Resolves when no message is on its way to a program, and none of them publishes any more. */
  async #settle(): Promise<void> {
    let quiet = 0;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const before = this.#broker.stats().in_msgs;
      await Promise.all([...this.#clients].filter(({ isConnected }) => isConnected).map((client) => client.flush()));
      // Messages that a program publishes while it handles another one reach the broker in the next round.
      quiet = this.#broker.stats().in_msgs === before ? quiet + 1 : 0;
      if (quiet === QUIET_ROUNDS) return;
    }
    throw new MgrError("busy", `programs still answer each other after ${MAX_ROUNDS} rounds at one moment of the replay`);
  }

  readonly #log = (_level: "warning" | "error", message: string): void => {
    this.#problems.push(message);
  };
}

/** Opens MCAP files for a test: see `Replay`. */
export function openReplay(paths: string | readonly string[], options?: ReplayOptions): Promise<Replay> {
  return Replay.open(paths, options);
}
