import { messageOf } from "../../../base/errors.ts";
import type { WarningLog } from "../../../base/throttled-warning.ts";
import { LATE_PREFIX, lateSubjectOfTopic, subjectOfTopic } from "../../../base/topics/topic-subject.ts";
import type { BusMessage, BusSubscription } from "../../../bus/broker/bus-message.ts";
import type { Bus } from "../../../bus/client/bus.ts";
import { LateSamples, latePlaceOf } from "./late-samples.ts";
import { LossCounter, marksOf } from "./loss-counter.ts";
import { TopicDecoder } from "./topic-decoder.ts";
import type { TopicDefinition } from "./topic-publisher.ts";

export interface TopicMessage {
  readonly topic: string;
  /** The value decoded by the topic's definition; the bytes if the topic has none. */
  readonly value: unknown;
  readonly data: Uint8Array;
  /** The publisher's counter; null from a plain NATS client. */
  readonly seq: number | null;
  /** Time of publishing, nanoseconds since 1970. */
  readonly time: bigint | null;
  /** Whether the broker had kept the message for new subscribers. */
  readonly isLast: boolean;
  /** The messages that led to this one (header `Mgr-Stages`); null: none are stated. */
  readonly stages: string | null;
  /**
   * When the broker of its host received the message, nanoseconds since 1970 by the clock of that host, if it was kept there while the link was cut
   * (docs/store-forward.md); null: it came at once.
   */
  readonly late: bigint | null;
  /** The reason why `value` was not decoded although the topic has a definition. */
  readonly problem: string | null;
}

export interface SubscribeOptions {
  /** Definition as for `publisher`. If omitted, it is requested from the publisher. */
  definition?: TopicDefinition;
  /** Called for each message, in order. If omitted, read the subscription with `for await`. */
  onMessage?: (message: TopicMessage) => void;
  /** Also receives the samples that their host kept while its link was cut: they come beside newer ones, each once, with `late`. Default: false. */
  late?: boolean;
}

/** Maximum number of messages that wait for the program, or for the topic's definition. Beyond it, the oldest are dropped and counted. */
const MAX_WAITING = 1_000;

export class TopicSubscription implements AsyncIterable<TopicMessage> {
  readonly topic: string;
  /**
   * Messages received; messages that the publisher sent but that have not arrived, neither at once nor late; messages dropped because the program
   * did not read them in time; messages that could not be decoded; and those that came late, which count as received, too.
   */
  readonly counters = { received: 0, bytes: 0, missed: 0, dropped: 0, undecoded: 0, late: 0 };
  readonly #decoder: TopicDecoder;
  readonly #loss = new LossCounter();
  readonly #onMessage: SubscribeOptions["onMessage"];
  readonly #log: WarningLog;
  readonly #subscriptions: BusSubscription[];
  readonly #late: LateSamples | null;
  readonly #onClose: () => void;
  /** Messages that wait for the definition. */
  readonly #held: BusMessage[] = [];
  /** Messages that wait for the reader. */
  readonly #queue: TopicMessage[] = [];
  #wake = () => {};
  #isHolding = false;
  #isClosed = false;

  constructor(bus: Bus, topic: string, options: SubscribeOptions, parts: { log: WarningLog; onClose: () => void }) {
    this.topic = topic;
    this.#onMessage = options.onMessage;
    this.#log = parts.log;
    this.#onClose = parts.onClose;
    const subject = subjectOfTopic(topic);
    this.#decoder = new TopicDecoder(bus, topic, options.definition);
    this.#late = options.late === true ? new LateSamples() : null;
    this.#subscriptions = [bus.subscribe(subject, (message) => this.#receive(message))];
    if (this.#late !== null)
      this.#subscriptions.push(bus.subscribe(lateSubjectOfTopic(topic), (message) => this.#receiveLate(bus, message)));
  }

  /** Messages in order; ends when the subscription is closed. */
  async *[Symbol.asyncIterator](): AsyncGenerator<TopicMessage> {
    for (;;) {
      const message = this.#queue.shift();
      if (message) yield message;
      else if (this.#isClosed) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
    this.#wake();
    this.#onClose();
  }

  #receive(message: BusMessage): void {
    const marks = marksOf(message.headers);
    const step = this.#loss.count(marks);
    this.#late?.live(marks);
    this.#countMissed();
    if (step === "duplicate") return;
    if (step === "restarted") this.#decoder.forget();
    this.#accept(message);
  }

  #receiveLate(bus: Bus, message: BusMessage): void {
    const place = latePlaceOf(message.headers);
    if (place === null || this.#late === null) return;
    const step = this.#late.count(place, marksOf(message.headers));
    if (step === "wanted") {
      this.counters.late++;
      this.#countMissed();
      this.#accept(message);
    }
    if (message.reply) bus.publish(message.reply, String(this.#late.nextOf(place.log)));
  }

  #countMissed(): void {
    this.counters.missed = Math.max(0, this.#loss.missed - (this.#late?.filled ?? 0));
  }

  #accept(message: BusMessage): void {
    this.counters.received++;
    this.counters.bytes += message.data.length;
    this.#hold();
    if (this.#isHolding) this.#push(this.#held, message);
    else this.#deliver(message);
  }

  #hold(): void {
    if (this.#isHolding) return;
    const answer = this.#decoder.waitFor();
    if (answer === null) return;
    this.#isHolding = true;
    void answer.then(() => {
      this.#isHolding = false;
      for (const message of this.#held.splice(0)) this.#deliver(message);
    });
  }

  #deliver(message: BusMessage): void {
    if (this.#isClosed) return;
    const { data } = message;
    const decoded: TopicMessage = {
      topic: this.topic,
      data,
      ...this.#decoder.decode(data),
      ...marksOf(message.headers),
      late: message.subject.startsWith(LATE_PREFIX) ? (latePlaceOf(message.headers)?.received ?? null) : null,
    };
    if (decoded.problem !== null) this.counters.undecoded++;
    if (!this.#onMessage) {
      this.#push(this.#queue, decoded);
      this.#wake();
      return;
    }
    try {
      this.#onMessage(decoded);
    } catch (error) {
      this.#log("error", `the receiver of '${this.topic}' failed: ${messageOf(error)}`);
    }
  }

  #push<T>(queue: T[], item: T): void {
    queue.push(item);
    if (queue.length <= MAX_WAITING) return;
    queue.shift();
    this.counters.dropped++;
  }
}
