import type { Owners } from "../../../../base/access/access.ts";
import { messageOf } from "../../../../base/errors.ts";
import { parseJson } from "../../../../base/json.ts";
import type { Clock } from "../../../../base/timing/clock.ts";
import { subjectOfTopic } from "../../../../base/topics/topic-subject.ts";
import type { BusMessage, BusSubscription } from "../../../../bus/broker/bus-message.ts";
import type { Bus } from "../../../../bus/client/bus.ts";
import type { TopicRecord } from "../../../../contract/registry.ts";
import { formatTime } from "../../../../protocol/time.ts";
import { type TopicCodec, topicCodec } from "../../client/topic-codec.ts";
import { isWellKnownName, loadWellKnownSchema } from "../../samples/well-known-name.ts";
import type { TopicSample } from "../data-plane.ts";
import { base64Of, jsonValueOf } from "../json-value.ts";
import { SampleBatch } from "./sample-batch.ts";

const NS_PER_MS = 1_000_000;

export interface TopicSamplerOptions {
  readonly clock: Clock;
  /** Null: there is no bus. */
  readonly bus: Promise<Bus> | null;
  /** Returns the topic as it is known now. */
  readonly record: (subject: string) => TopicRecord | undefined;
  /** Returns the processes that publish a topic now. */
  readonly publishers: (subject: string) => Owners;
}

interface Viewer {
  readonly receive: (sample: TopicSample) => void;
  /** Whether the viewer may see what these processes publish. */
  readonly maySee: (publishers: Owners) => boolean;
  /** Time between two samples, milliseconds. */
  readonly interval: number;
  /** Time of the next sample, monotonic, milliseconds. */
  dueAt: number;
  /** The newest sample that the viewer received. */
  seen: Sample | null;
  /** Fields of all samples; null: the viewer did not request fields. */
  readonly batch: SampleBatch | null;
}

/** Samples of subscribed topics: one subscription per topic, and each message is decoded at most once. */
export class TopicSampler {
  readonly #options: TopicSamplerOptions;
  readonly #followed = new Map<string, FollowedTopic>();

  constructor(options: TopicSamplerOptions) {
    this.#options = options;
  }

  /** Subscribes to samples. Throws `bad_field` for an invalid topic name. */
  follow(name: string, request: { maxRate: number; fields: readonly string[] } & Pick<Viewer, "receive" | "maySee">): () => void {
    const subject = subjectOfTopic(name);
    const topic = this.#followed.get(subject) ?? new FollowedTopic(name, subject, this.#options);
    this.#followed.set(subject, topic);
    const { receive, maySee, maxRate, fields } = request;
    const batch = fields.length === 0 ? null : new SampleBatch(fields);
    const unsubscribe = topic.add({ receive, maySee, interval: 1_000 / maxRate, dueAt: Number.NEGATIVE_INFINITY, seen: null, batch });
    return () => {
      unsubscribe();
      if (topic.isUnused && this.#followed.get(subject) === topic) {
        this.#followed.delete(subject);
        topic.close();
      }
    };
  }

  close(): void {
    for (const topic of this.#followed.values()) topic.close();
    this.#followed.clear();
  }
}

class FollowedTopic {
  readonly #name: string;
  readonly #subject: string;
  readonly #options: TopicSamplerOptions;
  readonly #viewers = new Set<Viewer>();
  #subscription: BusSubscription | null = null;
  #isClosed = false;
  #latest: Sample | null = null;
  #timer: unknown = null;
  /** Number of messages that could not be decoded. */
  #undecoded = 0;
  #codec: { record: TopicRecord; schema: object | null; codec: TopicCodec } | null = null;
  /** The well-known message of the topic; its schema is null while it is loaded, and of an unknown name. */
  #schema: { readonly name: string; readonly schema: object | null } = { name: "", schema: null };

  constructor(name: string, subject: string, options: TopicSamplerOptions) {
    this.#name = name;
    this.#subject = subject;
    this.#options = options;
    this.#subscribe().catch(() => {
      // A bus that cannot be reached is logged elsewhere.
    });
  }

  async #subscribe(): Promise<void> {
    const bus = await this.#options.bus;
    const record = this.#options.record(this.#subject);
    if (record !== undefined) await this.#loadSchema(record);
    if (bus !== null && !this.#isClosed) this.#subscription = bus.subscribe(this.#subject, (message) => this.#receive(message));
  }

  /** Loads the schema of a well-known message, by which its messages are checked. That of a program's own text may take long to check. */
  async #loadSchema({ encoding, definition_name }: TopicRecord): Promise<void> {
    if (encoding !== "json" || definition_name === this.#schema.name || !isWellKnownName(definition_name)) return;
    const known = { name: definition_name, schema: null };
    this.#schema = known;
    const schema = await loadWellKnownSchema(definition_name).catch(() => null);
    if (this.#schema === known) this.#schema = { ...known, schema };
  }

  get isUnused(): boolean {
    return this.#viewers.size === 0;
  }

  add(viewer: Viewer): () => void {
    this.#viewers.add(viewer);
    // Other viewers have this sample already. It is delivered after this call, like every sample.
    if (this.#latest !== null) this.#schedule(0);
    return () => this.#viewers.delete(viewer);
  }

  close(): void {
    this.#isClosed = true;
    this.#options.clock.clearTimeout(this.#timer);
    this.#subscription?.unsubscribe();
  }

  #receive(message: BusMessage): void {
    const { clock, publishers } = this.#options;
    // The publishers of a later time may be others than those of this message.
    const sample = new Sample(message, clock.now(), publishers(this.#subject));
    this.#latest = sample;
    for (const { batch, maySee } of this.#viewers)
      if (batch !== null && maySee(sample.publishers)) batch.add(sample.time, sample.value(this.#decode));
    this.#send();
  }

  /** Sends the newest sample to the viewers that are due, and sets the timer for the others. */
  #send(): void {
    const { clock } = this.#options;
    const sample = this.#latest;
    if (sample === null) return;
    const now = clock.monotonic();
    let next = Number.POSITIVE_INFINITY;
    for (const viewer of this.#viewers) {
      if (viewer.seen === sample || !viewer.maySee(sample.publishers)) continue;
      if (viewer.dueAt > now) {
        next = Math.min(next, viewer.dueAt);
        continue;
      }
      viewer.seen = sample;
      // The interval begins when the sample was due, so that a late timer does not lower the rate.
      viewer.dueAt = Math.max(viewer.dueAt, now - viewer.interval) + viewer.interval;
      const frame = sample.frame(this.#name, this.#decode, () => this.#undecoded);
      viewer.receive(viewer.batch === null ? frame : { ...frame, batch: viewer.batch.take() });
    }
    if (next !== Number.POSITIVE_INFINITY) this.#schedule(next - now);
  }

  #schedule(milliseconds: number): void {
    const { clock } = this.#options;
    clock.clearTimeout(this.#timer);
    this.#timer = clock.setTimeout(() => this.#send(), Math.max(0, milliseconds));
  }

  readonly #decode = (data: Uint8Array): unknown => {
    const record = this.#options.record(this.#subject);
    // The first message of a topic may arrive before its broker's report of the topic.
    if (record === undefined) return parseJson(Buffer.from(data).toString()) ?? base64Of(data);
    if (record.encoding === "raw" || record.encoding === "protobuf") return base64Of(data);
    try {
      if (this.#codec?.record !== record) void this.#loadSchema(record);
      const schema = this.#schema.name === record.definition_name ? this.#schema.schema : null;
      const known = this.#codec;
      const isSame = known?.record.definition === record.definition && known.record.encoding === record.encoding && known.schema === schema;
      const codec = isSame && known ? known.codec : topicCodec(record.encoding, record.definition, schema);
      this.#codec = { record, schema, codec };
      return codec.decode(data);
    } catch (error) {
      this.#undecoded++;
      return { error: messageOf(error), base64: base64Of(data) };
    }
  };
}

/** A message that is decoded when the first viewer receives it. */
class Sample {
  readonly #message: BusMessage;
  /** The processes that published the topic when the message arrived. */
  readonly publishers: Owners;
  /** Time of publishing, else of arrival; milliseconds. */
  readonly time: number;
  #value: { readonly decoded: unknown } | null = null;
  #frame: TopicSample | null = null;

  constructor(message: BusMessage, arrivedAt: number, publishers: Owners) {
    this.#message = message;
    this.publishers = publishers;
    const text = message.headers?.get("Mgr-Time") ?? "";
    this.time = /^\d{1,21}$/.test(text) ? Math.min(Number(text) / NS_PER_MS, MAX_TIME_MS) : arrivedAt;
  }

  value(decode: (data: Uint8Array) => unknown): unknown {
    this.#value ??= { decoded: decode(this.#message.data) };
    return this.#value.decoded;
  }

  frame(name: string, decode: (data: Uint8Array) => unknown, undecoded: () => number): TopicSample {
    if (this.#frame === null) {
      const value = jsonValueOf(this.value(decode));
      this.#frame = { type: "topic_sample", name, ts: formatTime(Math.floor(this.time)), value, undecoded: undecoded() };
    }
    return this.#frame;
  }
}

/** The last millisecond of the year 9999. */
const MAX_TIME_MS = 253_402_300_799_999;
