import { messageOf } from "../../../../base/errors.ts";
import type { ThrottledWarning } from "../../../../base/throttled-warning.ts";
import type { Clock } from "../../../../base/timing/clock.ts";
import { type FieldPath, fieldAt, numberOf, parseFieldPath } from "../../../data-plane/field-path.ts";
import type { TappedMessage } from "../../../data-plane/host/index.ts";
import type { HostTrigger } from "../../contract.ts";
import { SampleDecoder } from "./sample-decoder.ts";

/** Interval in which rates are counted, milliseconds. */
const RATE_MS = 1_000;

type When<K extends HostTrigger["when"]["kind"]> = Extract<HostTrigger["when"], { kind: K }>;

/** A trigger on one topic. */
export interface TopicTrigger {
  message(message: TappedMessage): void;
  close(): void;
}

export interface TopicTriggerOptions {
  readonly clock: Clock;
  readonly warning: ThrottledWarning;
  /** `text`: what happened, for a person. */
  readonly fire: (text: string) => void;
}

const COMPARE: Readonly<Record<When<"topic">["comparison"], (value: number, limit: number) => boolean>> = {
  "<": (value, limit) => value < limit,
  "<=": (value, limit) => value <= limit,
  ">": (value, limit) => value > limit,
  ">=": (value, limit) => value >= limit,
  "==": (value, limit) => value === limit,
  "!=": (value, limit) => value !== limit,
};

/** Fires once each time that a field has fulfilled a comparison for long enough. */
export class ConditionTrigger implements TopicTrigger {
  readonly #when: When<"topic">;
  readonly #options: TopicTriggerOptions;
  readonly #path: FieldPath;
  readonly #decoder = new SampleDecoder();
  /** Monotonic time since which the comparison is true, milliseconds; null: it is not. */
  #since: number | null = null;
  #hasFired = false;

  constructor(when: When<"topic">, options: TopicTriggerOptions) {
    this.#when = when;
    this.#options = options;
    this.#path = parseFieldPath(when.field) ?? [];
  }

  message(message: TappedMessage): void {
    const { comparison, limit, for_ms, topic, field } = this.#when;
    const { clock, fire } = this.#options;
    const value = this.#valueOf(message);
    if (value === null || !COMPARE[comparison](value, limit)) {
      this.#since = null;
      this.#hasFired = false;
      return;
    }
    this.#since ??= clock.monotonic();
    if (this.#hasFired || clock.monotonic() - this.#since < for_ms) return;
    this.#hasFired = true;
    const name = field === "" ? topic : `${topic}.${field}`;
    const duration = for_ms === 0 ? "" : ` for ${for_ms} ms`;
    fire(`${name} was ${value}: ${comparison} ${limit}${duration}`);
  }

  close(): void {}

  /** Null: the sample has no such number. */
  #valueOf(message: TappedMessage): number | null {
    try {
      return numberOf(fieldAt(this.#decoder.decode(message), this.#path));
    } catch (error) {
      this.#options.warning.warn(`a trigger of the flight recorder cannot read '${message.topic}': ${messageOf(error)}`);
      return null;
    }
  }
}

/** Fires once each time that a topic has been silent for too long after a message. */
export class GapTrigger implements TopicTrigger {
  readonly #when: When<"gap">;
  readonly #options: TopicTriggerOptions;
  #last = 0;
  #timer: unknown = null;
  #isClosed = false;

  constructor(when: When<"gap">, options: TopicTriggerOptions) {
    this.#when = when;
    this.#options = options;
  }

  message(): void {
    this.#last = this.#options.clock.monotonic();
    // A message only postpones what is due: the timer stays.
    if (this.#timer === null) this.#expect(this.#when.gap_ms);
  }

  close(): void {
    this.#isClosed = true;
    this.#options.clock.clearTimeout(this.#timer);
  }

  #expect(ms: number): void {
    this.#timer = this.#options.clock.setTimeout(() => this.#look(), ms);
  }

  #look(): void {
    const { gap_ms, topic } = this.#when;
    // The next turn has read what arrived while this program was busy.
    setImmediate(() => {
      if (this.#isClosed) return;
      const left = this.#last + gap_ms - this.#options.clock.monotonic();
      if (left > 0) return this.#expect(left);
      this.#timer = null;
      this.#options.fire(`${topic} was silent for ${gap_ms} ms`);
    });
  }
}

/** Fires once each time that the rate of a topic leaves its limits. */
export class RateTrigger implements TopicTrigger {
  readonly #when: When<"rate">;
  readonly #options: TopicTriggerOptions;
  #count = 0;
  #begunAt = 0;
  #wasWithin = false;
  #timer: unknown = null;
  #isClosed = false;

  constructor(when: When<"rate">, options: TopicTriggerOptions) {
    this.#when = when;
    this.#options = options;
  }

  message(): void {
    if (this.#timer === null) this.#begin();
    this.#count++;
  }

  close(): void {
    this.#isClosed = true;
    this.#options.clock.clearTimeout(this.#timer);
  }

  #begin(): void {
    const { clock } = this.#options;
    this.#count = 0;
    this.#begunAt = clock.monotonic();
    this.#timer = clock.setTimeout(() => setImmediate(() => this.#look()), RATE_MS);
  }

  #look(): void {
    if (this.#isClosed) return;
    const { topic, min, max } = this.#when;
    const { clock, fire } = this.#options;
    const rate = (this.#count * 1_000) / Math.max(1, clock.monotonic() - this.#begunAt);
    const isLow = min !== null && rate < min;
    const isHigh = max !== null && rate > max;
    const text = `${topic} had ${Number(rate.toPrecision(3))} messages/s, ${isLow ? `at least ${min}` : `at most ${max}`} are expected`;
    if (this.#wasWithin && (isLow || isHigh)) fire(text);
    this.#wasWithin = !isLow && !isHigh;
    // Nothing is published any more: the next message begins again.
    if (this.#count === 0 && !this.#wasWithin) this.#timer = null;
    else this.#begin();
  }
}
