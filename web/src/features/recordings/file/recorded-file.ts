import { McapIndexedReader } from "@mcap/core";
import { fieldAt, numberOf, parseFieldPath } from "../../../../../src/features/data-plane/field-path.ts";
import { messageReader, parseMessageDefinition } from "../../../../../src/features/data-plane/samples/message-definition.ts";
import { numericFields, type Trace, TraceSamples } from "../../data-plane/plot/public-samples.ts";
import { growingReader, type MessageReader } from "./growing-file.ts";

/** A topic of a file. */
export interface RecordedTopic {
  readonly name: string;
  readonly messages: number;
  /** Whether its messages can be decoded; otherwise they are unknown bytes. */
  readonly isReadable: boolean;
}

export interface RecordedMessage {
  readonly topic: string;
  /** The host that recorded it; empty: not known. */
  readonly host: string;
  /** Seconds since 1970. */
  readonly time: number;
  readonly data: Uint8Array;
  readonly value: unknown;
}

interface Span {
  /** Seconds since 1970. */
  readonly from: number;
  readonly until: number;
}

/** Maximum number of samples of a topic that are kept in full, and number of steps of which the extremes are kept if there are more. */
const MAX_SAMPLES = 300_000;
const STEPS = 20_000;
/** Maximum rounding error of seconds since 1970, ns: without it, the last message could be missed. */
const ROUNDING_NS = 1_000n;
/** Maximum work before the page can do something else, ms. */
const TURN_MS = 12;

type Decode = (data: Uint8Array) => unknown;

/** An MCAP file; only the needed parts are read. Loaded when first needed, since its packages are large. */
export class RecordedFile {
  readonly #reader: MessageReader;
  readonly #decoders = new Map<number, Decode | null>();
  readonly span: Span;
  readonly topics: readonly RecordedTopic[];

  static async open(readable: {
    size: () => Promise<bigint>;
    read: (offset: bigint, size: bigint) => Promise<Uint8Array>;
  }): Promise<RecordedFile> {
    return new RecordedFile(await McapIndexedReader.Initialize({ readable }));
  }

  /** Opens a file that is still being written, from all of its bytes. */
  static openGrowing(bytes: Uint8Array): RecordedFile {
    return new RecordedFile(growingReader(bytes));
  }

  private constructor(reader: MessageReader) {
    this.#reader = reader;
    const { statistics, channelsById } = reader;
    this.span = { from: seconds(statistics?.messageStartTime ?? 0n), until: seconds(statistics?.messageEndTime ?? 0n) };
    const topics = new Map<string, RecordedTopic>();
    for (const [id, { topic: name }] of channelsById) {
      const known = topics.get(name) ?? { name, messages: 0, isReadable: false };
      const messages = known.messages + Number(statistics?.channelMessageCounts.get(id) ?? 0n);
      topics.set(name, { name, messages, isReadable: known.isReadable || this.#decoder(id) !== null });
    }
    this.topics = [...topics.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The numeric fields of a topic's first message. */
  async fields(topic: string): Promise<string[]> {
    for await (const { channelId, data } of this.#reader.readMessages({ topics: [topic] })) {
      const value = this.#value(channelId, data);
      if (value !== undefined) return numericFields(value);
    }
    return [];
  }

  /** The messages of topics until a moment, newest first. `value`: undefined if it cannot be decoded. */
  async *messagesBefore(topics: readonly string[], until: number): AsyncGenerator<RecordedMessage> {
    const endTime = nanoseconds(until) + ROUNDING_NS;
    for await (const { channelId, logTime, data } of this.#reader.readMessages({ topics, endTime, reverse: true })) {
      const { topic = "", metadata } = this.#reader.channelsById.get(channelId) ?? {};
      yield { topic, host: metadata?.get("host") ?? "", time: seconds(logTime), data, value: this.#value(channelId, data) };
    }
  }

  /** Returns empty samples, and a function that fills them from a part of the file. `onProgress`: the part that is read, from 0 to 1. */
  traces(traces: readonly Trace[], span: Span): { samples: Map<string, TraceSamples>; fill: (options: FillOptions) => Promise<void> } {
    const samples = new Map<string, TraceSamples>();
    const length = span.until - span.from;
    for (const { topic } of traces) {
      const fields = traces.filter((one) => one.topic === topic).map(({ field }) => field);
      if (!samples.has(topic))
        samples.set(
          topic,
          new TraceSamples(fields, { most: MAX_SAMPLES, step: Math.max(length / STEPS, 1e-6), seconds: Number.POSITIVE_INFINITY }),
        );
    }
    return { samples, fill: (options) => this.#fill(samples, span, options) };
  }

  async #fill(samples: ReadonlyMap<string, TraceSamples>, { from, until }: Span, { signal, onProgress }: FillOptions): Promise<void> {
    const paths = new Map(
      [...samples].map(([topic, { fields }]) => [topic, fields.map((field) => (field === "" ? [] : (parseFieldPath(field) ?? [])))]),
    );
    const range = { startTime: nanoseconds(from) - ROUNDING_NS, endTime: nanoseconds(until) + ROUNDING_NS };
    let turn = performance.now();
    for await (const { channelId, logTime, data } of this.#reader.readMessages({ topics: [...samples.keys()], ...range })) {
      const topic = this.#reader.channelsById.get(channelId)?.topic ?? "";
      const value = this.#value(channelId, data);
      const time = seconds(logTime);
      if (value !== undefined)
        samples.get(topic)?.add(
          [time],
          (paths.get(topic) ?? []).map((path) => [numberOf(fieldAt(value, path))]),
        );
      if (performance.now() - turn < TURN_MS) continue;
      onProgress((time - from) / Math.max(until - from, 1e-9));
      await new Promise((resolve) => setTimeout(resolve));
      if (signal.aborted) return;
      turn = performance.now();
    }
    if (!signal.aborted) onProgress(1);
  }

  /** The decoded message; undefined if it cannot be decoded. */
  #value(channel: number, data: Uint8Array): unknown {
    try {
      return this.#decoder(channel)?.(data);
    } catch {
      return undefined;
    }
  }

  #decoder(channel: number): Decode | null {
    const known = this.#decoders.get(channel);
    if (known !== undefined) return known;
    const made = this.#makeDecoder(channel);
    this.#decoders.set(channel, made);
    return made;
  }

  #makeDecoder(id: number): Decode | null {
    const channel = this.#reader.channelsById.get(id);
    if (channel?.messageEncoding === "json") return (data) => JSON.parse(new TextDecoder().decode(data)) as unknown;
    const schema = this.#reader.schemasById.get(channel?.schemaId ?? 0);
    if (channel?.messageEncoding !== "cdr" || schema === undefined) return null;
    try {
      return messageReader(parseMessageDefinition(new TextDecoder().decode(schema.data)));
    } catch {
      return null;
    }
  }
}

interface FillOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (part: number) => void;
}

const seconds = (time: bigint) => Number(time) / 1e9;
const nanoseconds = (time: number) => BigInt(Math.round(time * 1e6)) * 1_000n;
