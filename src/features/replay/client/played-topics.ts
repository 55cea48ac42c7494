import { MgrError } from "../../../base/errors.ts";
import { parseJson } from "../../../base/json.ts";
import { withTimeout } from "../../../base/timing/wait.ts";
import { type DataClient, ProtobufDefinition, type TopicDefinition, type TopicPublisher } from "../../data-plane/client/index.ts";
import type { FileChannel, FileMessage } from "../../recordings/samples/mcap/message-file.ts";
import type { PlayOutput } from "../player/player.ts";
import { CLOCK_TOPIC, type DescribedChannel, describedChannel, type TopicPlan } from "../player/topic-plan.ts";

/** Bytes that are published before the broker has to have processed them: less than a connection may have unsent. */
const MAX_UNCONFIRMED_BYTES = 1024 * 1024;
/** A broker that confirms nothing for this long has hung, milliseconds. */
const CONFIRM_TIMEOUT_MS = 30_000;

/** Definition of the topic with the time of a play (docs/replay.md). */
const CLOCK_SCHEMA = {
  title: "mgr.Clock",
  description: "The time of a play",
  type: "object",
  properties: {
    time: { type: "string", description: "Nanoseconds since 1970, as a decimal number" },
    rate: { type: "number", description: "Seconds of the recording a second; 0 while the play is paused" },
  },
  required: ["time", "rate"],
};

interface Playing {
  described: DescribedChannel;
  readonly publisher: TopicPublisher;
}

export interface PlayedTopicsOptions {
  readonly client: DataClient;
  readonly channels: readonly FileChannel[];
  readonly plan: TopicPlan;
  /** Whether the time is published as `mgr/clock`. */
  readonly hasClock: boolean;
  /** Called when the broker refuses a message: another client has got the topic. */
  readonly refused: (error: MgrError) => void;
}

/** Publishes messages of files as topics of a client, with the definitions of the files and the recorded times. */
export class PlayedTopics implements PlayOutput {
  readonly #options: PlayedTopicsOptions;
  readonly #described = new Map<FileChannel, DescribedChannel>();
  /** By the name in the files. */
  readonly #playing = new Map<string, Playing>();
  #clock: TopicPublisher | null = null;
  #unconfirmed = 0;

  private constructor(options: PlayedTopicsOptions) {
    this.#options = options;
  }

  /** Reserves all topics. Rejects with `conflict` if one of them has a live publisher that is registered. */
  static async reserve(options: PlayedTopicsOptions): Promise<PlayedTopics> {
    const topics = new PlayedTopics(options);
    const { channels, plan, hasClock } = options;
    const first = new Map<string, FileChannel>();
    for (const channel of channels) if (plan.names.has(channel.topic) && !first.has(channel.topic)) first.set(channel.topic, channel);
    // In one registration.
    const reserved: Promise<unknown>[] = Array.from(first.values(), (channel) => topics.#open(channel));
    if (hasClock) reserved.push(topics.#openClock());
    const failed = (await Promise.allSettled(reserved)).find((outcome) => outcome.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    return topics;
  }

  publish(message: FileMessage): Promise<void> | null {
    const playing = this.#playing.get(message.channel.topic);
    const described = this.#describe(message.channel);
    if (playing === undefined || !isSame(playing.described, described)) return this.#replace(message, playing);
    // Definitions are compared once for each file, not for each message.
    playing.described = described;
    return this.#send(playing.publisher, message);
  }

  /** Resolves when the broker has processed what was published, and `refused` was called for what it refused. Rejects with `timeout`. */
  confirm(): Promise<void> {
    return withTimeout(
      this.#options.client.flush(),
      CONFIRM_TIMEOUT_MS,
      () => new MgrError("timeout", `the broker has processed nothing for ${CONFIRM_TIMEOUT_MS / 1_000} s, so the play has ended`),
    );
  }

  time(time: bigint, rate: number): void {
    this.#clock?.publish({ time: String(time), rate });
  }

  /** The definition of a topic changes within the recording. */
  async #replace(message: FileMessage, playing: Playing | undefined): Promise<void> {
    playing?.publisher.close();
    const publisher = await this.#open(message.channel);
    await this.#send(publisher, message);
  }

  async #open(channel: FileChannel): Promise<TopicPublisher> {
    const described = this.#describe(channel);
    const { definitionName } = described;
    const { client, plan, refused } = this.#options;
    const name = plan.names.get(channel.topic) ?? channel.topic;
    const publisher = await client.publisher(name, definitionOf(described), {
      ...(definitionName === "" ? {} : { definitionName }),
      onRefused: (reason) => refused(new MgrError("conflict", `the broker refuses '${name}', another client publishes it now: ${reason}`)),
    });
    this.#playing.set(channel.topic, { described, publisher });
    return publisher;
  }

  async #openClock(): Promise<void> {
    this.#clock = await this.#options.client.publisher(CLOCK_TOPIC, CLOCK_SCHEMA, { keepLast: true });
  }

  #send(publisher: TopicPublisher, { data, publishTime }: FileMessage): Promise<void> | null {
    if (!publisher.publishEncoded(data, publishTime))
      throw new MgrError("host_unavailable", "the connection to the bus was lost, so the play has ended");
    this.#unconfirmed += data.length;
    if (this.#unconfirmed < MAX_UNCONFIRMED_BYTES) return null;
    this.#unconfirmed = 0;
    return this.confirm();
  }

  #describe(channel: FileChannel): DescribedChannel {
    const known = this.#described.get(channel);
    if (known !== undefined) return known;
    const described = describedChannel(channel);
    this.#described.set(channel, described);
    return described;
  }
}

function isSame(one: DescribedChannel, other: DescribedChannel): boolean {
  if (one === other) return true;
  return one.encoding === other.encoding && one.definition === other.definition && one.definitionName === other.definitionName;
}

function definitionOf({ encoding, definition, definitionName }: DescribedChannel): TopicDefinition | undefined {
  if (encoding === "raw") return undefined;
  if (encoding === "protobuf") return new ProtobufDefinition(Buffer.from(definition, "base64"), definitionName);
  if (encoding === "cdr") return definition;
  const schema = parseJson(definition);
  return typeof schema === "object" && schema !== null ? schema : {};
}
