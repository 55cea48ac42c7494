import type { Clock } from "../../../base/timing/clock.ts";
import type { TappedMessage } from "../../data-plane/host/index.ts";
import type { FlightRing } from "./ring/flight-ring.ts";

/** Interval in which the rate of a topic is measured, milliseconds. */
const RATE_MS = 1_000;
/** Topics that are remembered, at most; then all are forgotten, and begin anew. */
const MAX_TOPICS = 20_000;

interface SeenTopic {
  /** The last `Mgr-Seq`; null: the publisher does not send it. */
  sequence: bigint | null;
  begunAt: number;
  /** Messages within the present interval. */
  count: number;
  /** One message of this many is kept. */
  divisor: number;
}

/** Puts messages of topics into the ring: divided where they are too many, and with the number of those that did not arrive. */
export class TopicSource {
  readonly #ring: Pick<FlightRing, "put" | "lost">;
  readonly #clock: Clock;
  readonly #topics = new Map<string, SeenTopic>();
  /** Messages of one topic in a second, at most; null: all. */
  maxRate: number | null = null;

  constructor(ring: Pick<FlightRing, "put" | "lost">, clock: Clock) {
    this.#ring = ring;
    this.#clock = clock;
  }

  message(message: TappedMessage): void {
    const { topic, sequence, received } = message;
    const seen = this.#topics.get(topic) ?? this.#begin(topic);
    if (sequence !== null) {
      // A number that is not higher means that the publisher restarted its count.
      if (seen.sequence !== null && sequence > seen.sequence + 1n)
        this.#ring.lost(message, Number(sequence - seen.sequence - 1n), received);
      seen.sequence = sequence;
    }
    if (this.maxRate === null || this.#isKept(seen, this.maxRate)) this.#ring.put(message);
  }

  #isKept(seen: SeenTopic, maxRate: number): boolean {
    const elapsed = this.#clock.monotonic() - seen.begunAt;
    if (elapsed >= RATE_MS) {
      const rate = (seen.count * 1_000) / elapsed;
      seen.divisor = Math.max(1, Math.ceil(rate / maxRate));
      seen.begunAt += elapsed;
      seen.count = 0;
    }
    return seen.count++ % seen.divisor === 0;
  }

  #begin(topic: string): SeenTopic {
    if (this.#topics.size >= MAX_TOPICS) this.#topics.clear();
    const seen = { sequence: null, begunAt: this.#clock.monotonic(), count: 0, divisor: 1 };
    this.#topics.set(topic, seen);
    return seen;
  }
}
