import type { Clock } from "../../../base/timing/clock.ts";
import type { Tap, TappedMessage } from "../../data-plane/host/index.ts";

/** Time for which a topic is measured on after a window, milliseconds: until the next one begins, so that no gap between two is missed. */
const LINGER_MS = 5_000;
const NS_PER_MS = 1_000_000n;

/** Messages on a topic within a window. */
export interface Measured {
  readonly messages: number;
  /** Length of the window, milliseconds. */
  readonly ms: number;
  /** Longest time without a message, milliseconds: one that began before the window, or has not ended, counts as well. */
  readonly gapMs: number;
  /** Longest time from publication to receipt, milliseconds; null: no message states when it was published. */
  readonly latencyMs: number | null;
}

interface Window {
  readonly began: number;
  readonly onMessage: () => void;
  messages: number;
  gapMs: number;
  latencyMs: number | null;
}

/** Measures one topic for any number of windows. */
class Meter {
  readonly windows = new Set<Window>();
  lingering: unknown = null;
  readonly #clock: Clock;
  readonly #end: () => void;
  /** Monotonic time of the last message, or of the begin, milliseconds. */
  #last: number;
  #lastMessage: TappedMessage | null = null;

  constructor(topic: string, tap: Tap, clock: Clock) {
    this.#clock = clock;
    this.#last = clock.monotonic();
    this.#end = tap.add(
      (name) => name === topic,
      (message) => this.#take(message),
    );
  }

  measured({ began, messages, gapMs, latencyMs }: Window): Measured {
    const now = this.#clock.monotonic();
    return { messages, ms: now - began, gapMs: Math.max(gapMs, now - this.#last), latencyMs };
  }

  close(): void {
    this.#clock.clearTimeout(this.lingering);
    this.#end();
  }

  #take(message: TappedMessage): void {
    const now = this.#clock.monotonic();
    const gap = this.#lastMessage === null ? now - this.#last : gapOf(this.#lastMessage, message);
    const latency = message.published === null ? null : toMs(message.received - message.published);
    this.#last = now;
    // Its payload belongs to the broker.
    this.#lastMessage = { ...message, payload: NO_BYTES };
    for (const window of this.windows) {
      window.messages++;
      window.gapMs = Math.max(window.gapMs, gap);
      if (latency !== null) window.latencyMs = Math.max(window.latencyMs ?? 0, latency);
      window.onMessage();
    }
  }
}

const NO_BYTES = new Uint8Array(0);

/** Measures topics of one host's broker. */
export class TopicMeters {
  readonly #tap: Tap;
  readonly #clock: Clock;
  readonly #meters = new Map<string, Meter>();

  constructor(tap: Tap, clock: Clock) {
    this.#tap = tap;
    this.#clock = clock;
  }

  /** Begins a window; `onMessage` is called after each message. Call `end` once. */
  begin(topic: string, onMessage: () => void): { measured(): Measured; end(): void } {
    const meter = this.#open(topic);
    const window: Window = { began: this.#clock.monotonic(), onMessage, messages: 0, gapMs: 0, latencyMs: null };
    meter.windows.add(window);
    return {
      measured: () => meter.measured(window),
      end: () => {
        meter.windows.delete(window);
        if (meter.windows.size === 0) meter.lingering = this.#clock.setTimeout(() => this.#close(topic, meter), LINGER_MS);
      },
    };
  }

  close(): void {
    for (const meter of this.#meters.values()) meter.close();
    this.#meters.clear();
  }

  #open(topic: string): Meter {
    const known = this.#meters.get(topic);
    if (known !== undefined) {
      this.#clock.clearTimeout(known.lingering);
      return known;
    }
    const meter = new Meter(topic, this.#tap, this.#clock);
    this.#meters.set(topic, meter);
    return meter;
  }

  #close(topic: string, meter: Meter): void {
    meter.close();
    this.#meters.delete(topic);
  }
}

/** By the times of publication, if both are known: a broker that was busy receives two messages at once. */
function gapOf(before: TappedMessage, after: TappedMessage): number {
  if (before.published !== null && after.published !== null) return toMs(after.published - before.published);
  return toMs(after.received - before.received);
}

/** The clocks of publisher and host are adjusted: a time before zero is none. */
function toMs(ns: bigint): number {
  return Math.max(0, Number(ns) / Number(NS_PER_MS));
}
