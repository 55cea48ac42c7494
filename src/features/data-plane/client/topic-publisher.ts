import { headers } from "@nats-io/nats-core";
import { MgrError } from "../../../base/errors.ts";
import { parseJson } from "../../../base/json.ts";
import { subjectOfTopic, subjectTokens } from "../../../base/topics/topic-subject.ts";
import type { BusSubscription } from "../../../bus/broker/bus-message.ts";
import type { Bus } from "../../../bus/client/bus.ts";
import { MAX_RELIABLE_BYTES, MAX_TOPIC_PRIORITY } from "../../../contract/registry.ts";
import { isWellKnownName, loadWellKnownSchema } from "../samples/well-known-name.ts";
import { type StageSource, stagesAfter } from "../stages.ts";
import { wallClockNs } from "../wall-clock.ts";
import type { RegisteredTopic } from "./registration.ts";
import { type TopicCodec, topicCodec } from "./topic-codec.ts";

/** The definition of a topic with messages of Protocol Buffers, which are published and received as bytes. */
export class ProtobufDefinition {
  /** A FileDescriptorSet, with the files that it imports: `protoc --include_imports --descriptor_set_out=FILE`. */
  readonly descriptors: Uint8Array;
  /** Full name of the message, for example `demo.ArmState`. */
  readonly message: string;

  constructor(descriptors: Uint8Array, message: string) {
    this.descriptors = descriptors;
    this.message = message;
  }
}

/**
 * A string is a ROS 2 message definition (CDR), or the name of a well-known message such as `foxglove.PoseInFrame` (JSON), an object a JSON Schema
 * (JSON); without one, the topic carries bytes.
 */
export type TopicDefinition = string | object | ProtobufDefinition;

export interface PublisherOptions {
  /** Name of the definition, for example `sensor_msgs/msg/JointState`; default: the `title` of a JSON Schema. */
  definitionName?: string;
  /** The broker keeps the newest message for new subscribers. */
  keepLast?: boolean;
  /** 0 to 7, default 0. While a receiver reads slowly, topics of this client with a higher priority are sent to it first. */
  priority?: number;
  /** Messages that have waited longer than this for a slow receiver are dropped, milliseconds. Default: no limit. */
  maxAgeMs?: number;
  /**
   * Maximum number of bytes that wait for a slow receiver, up to 4 MiB. The broker refuses messages beyond it instead of dropping older ones.
   * Default: the oldest are dropped.
   */
  reliableWithin?: number;
  /**
   * Called for each message that the broker refused, with its reason. `flush` of the client resolves after the calls for all messages that were
   * published before. Default: refusals are logged.
   */
  onRefused?: (reason: string) => void;
}

export interface PublishOptions {
  /** The received message that led to this one: `mgr topic latency` then shows the time from the first message of the chain on. */
  cause?: StageSource;
}

/** A definition as text: a JSON Schema if it is a JSON object, else a ROS 2 message. */
export function definitionOf(text: string): TopicDefinition {
  const schema = parseJson(text);
  return typeof schema === "object" && schema !== null ? schema : text;
}

/** Prefix of the subject on which publishers answer with the definition of their topic. */
export const INFO_PREFIX = "topic_info.";

export function describeTopic(name: string, definition: TopicDefinition | undefined, options: PublisherOptions): RegisteredTopic {
  const { named, ...described } = describeDefinition(definition);
  return {
    name,
    ...described,
    definition_name: options.definitionName ?? named,
    keep_last: options.keepLast ?? false,
    ...waitingOf(options),
  };
}

/** `named`: the name that the definition has itself. */
function describeDefinition(definition: TopicDefinition | undefined): Pick<RegisteredTopic, "encoding" | "definition"> & { named: string } {
  if (definition === undefined) return { encoding: "raw", definition: "", named: "" };
  if (definition instanceof ProtobufDefinition)
    return { encoding: "protobuf", definition: Buffer.from(definition.descriptors).toString("base64"), named: definition.message };
  if (typeof definition === "object") {
    const title: unknown = Reflect.get(definition, "title");
    return { encoding: "json", definition: JSON.stringify(definition), named: typeof title === "string" ? title : "" };
  }
  if (isWellKnownName(definition)) return { encoding: "json", definition: "", named: definition };
  return { encoding: "cdr", definition, named: "" };
}

/** The JSON Schema of a definition that is the name of a well-known message, else the definition. Rejects with `bad_field` for an unknown name. */
export async function withWellKnownSchema<Definition extends TopicDefinition | undefined>(
  definition: Definition,
): Promise<Definition | object> {
  return typeof definition === "string" && isWellKnownName(definition) ? loadWellKnownSchema(definition) : definition;
}

function waitingOf({
  priority = 0,
  maxAgeMs,
  reliableWithin,
}: PublisherOptions): Pick<RegisteredTopic, "priority" | "max_age_ms" | "reliable_within"> {
  checkWhole("priority", priority, 0, MAX_TOPIC_PRIORITY);
  checkWhole("maxAgeMs", maxAgeMs ?? 1, 1, Number.MAX_SAFE_INTEGER);
  checkWhole("reliableWithin", reliableWithin ?? 1, 1, MAX_RELIABLE_BYTES);
  return {
    priority,
    ...(maxAgeMs === undefined ? {} : { max_age_ms: maxAgeMs }),
    ...(reliableWithin === undefined ? {} : { reliable_within: reliableWithin }),
  };
}

function checkWhole(option: string, value: number, minimum: number, maximum: number): void {
  if (Number.isInteger(value) && value >= minimum && value <= maximum) return;
  throw new MgrError("bad_field", `${option} must be a whole number from ${minimum} to ${maximum}`);
}

interface PublisherParts {
  /** JSON Schema of a well-known message; null: messages are not checked by one. */
  readonly schema: object | null;
  readonly onRefused: ((reason: string) => void) | undefined;
  readonly onClose: () => void;
}

export class TopicPublisher {
  readonly topic: string;
  /**
   * Messages sent, their bytes, and those of them that the broker refused; messages that could not be sent because there was no connection or the
   * send buffer was full (`unsent`).
   */
  readonly counters = { sent: 0, bytes: 0, refused: 0, unsent: 0 };
  readonly #bus: Bus;
  readonly subject: string;
  readonly #codec: TopicCodec;
  readonly #info: BusSubscription;
  readonly #parts: PublisherParts;
  #seq = 0;
  #isClosed = false;

  /** Throws `bad_field` for a name or definition that is not allowed. */
  constructor(bus: Bus, topic: RegisteredTopic, parts: PublisherParts) {
    const { name, encoding, definition } = topic;
    this.topic = name;
    this.#bus = bus;
    this.subject = subjectOfTopic(name);
    this.#codec = topicCodec(encoding, definition, parts.schema);
    this.#parts = parts;
    const answer = JSON.stringify({ name, encoding, definition, definition_name: topic.definition_name });
    this.#info = bus.subscribe(INFO_PREFIX + subjectTokens(name), ({ reply }) => {
      if (reply && bus.isConnected) bus.publish(reply, answer);
    });
  }

  /**
   * Sends one message now. Returns false if it could not be sent and is counted as `unsent`; subscribers see the gap. True does not mean that the
   * broker accepts it: see `onRefused`. Throws `bad_field` for a value that does not fit the definition, `too_large`, and `not_running` after
   * `close`.
   */
  publish(value: unknown, { cause }: PublishOptions = {}): boolean {
    this.#assertOpen();
    return this.#send(this.#codec.encode(value), wallClockNs(), cause === undefined ? null : stagesAfter(cause, this.topic));
  }

  /**
   * As `publish`, for a payload that is encoded already, such as one of a recording. `time`: time of publishing, nanoseconds since 1970. Throws
   * `too_large`, and `not_running` after `close`.
   */
  publishEncoded(data: Uint8Array, time: bigint): boolean {
    this.#assertOpen();
    return this.#send(data, time, null);
  }

  /** Called by DataClient when the broker refused a message. Returns false if the program does not handle refusals. */
  refused(reason: string): boolean {
    this.counters.refused++;
    this.#parts.onRefused?.(reason);
    return this.#parts.onRefused !== undefined;
  }

  /** Releases the topic: another client may then publish it. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#info.unsubscribe();
    this.#parts.onClose();
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new MgrError("not_running", `the publisher of '${this.topic}' is closed`);
  }

  #send(data: Uint8Array, time: bigint, stages: string | null): boolean {
    const marks = headers();
    marks.set("Mgr-Seq", String(++this.#seq));
    marks.set("Mgr-Time", String(time));
    if (stages !== null) marks.set("Mgr-Stages", stages);
    try {
      this.#bus.publish(this.subject, data, { headers: marks });
    } catch (error) {
      this.counters.unsent++;
      if (error instanceof MgrError && (error.code === "busy" || error.code === "host_unavailable")) return false;
      throw error;
    }
    this.counters.sent++;
    this.counters.bytes += data.length;
    return true;
  }
}
