import type { Owners } from "../../../base/access/access.ts";
import type { BusMessage, BusSubscription } from "../../../bus/broker/bus-message.ts";
import type { Bus } from "../../../bus/client/bus.ts";

const NS_PER_MS = 1_000_000n;

export interface FeedSample {
  readonly data: Uint8Array;
  /** Time of publishing, else of arrival; nanoseconds since 1970. */
  readonly time: bigint;
  /** The processes that published the topic when the sample arrived. */
  readonly publishers: Owners;
}

export interface TopicFeedsOptions {
  /** Null: there is no bus. */
  readonly bus: Promise<Bus> | null;
  readonly publishers: (subject: string) => Owners;
  /** Unix time in milliseconds. */
  readonly now: () => number;
}

/** Samples as they were published, for all viewers: one subscription per subject. */
export class TopicFeeds {
  readonly #options: TopicFeedsOptions;
  readonly #feeds = new Map<string, Feed>();

  constructor(options: TopicFeedsOptions) {
    this.#options = options;
  }

  /** Calls back with the newest sample, if one is known, and with all later ones, until the returned function is called. */
  follow(subject: string, receive: (sample: FeedSample) => void): () => void {
    const feed = this.#feeds.get(subject) ?? new Feed(subject, this.#options);
    this.#feeds.set(subject, feed);
    feed.add(receive);
    return () => {
      if (feed.remove(receive) && this.#feeds.get(subject) === feed) this.#feeds.delete(subject);
    };
  }
}

class Feed {
  readonly #receivers = new Set<(sample: FeedSample) => void>();
  readonly #subject: string;
  readonly #options: TopicFeedsOptions;
  #subscription: BusSubscription | null = null;
  #latest: FeedSample | null = null;
  #isClosed = false;

  constructor(subject: string, options: TopicFeedsOptions) {
    this.#subject = subject;
    this.#options = options;
    // A bus that cannot be reached is logged elsewhere.
    options.bus?.then(
      (bus) => {
        if (!this.#isClosed) this.#subscription = bus.subscribe(subject, (message) => this.#received(message));
      },
      () => {},
    );
  }

  /** A later viewer gets the newest sample: the broker sends a kept one only to the first subscription. */
  add(receive: (sample: FeedSample) => void): void {
    this.#receivers.add(receive);
    if (this.#latest !== null) receive(this.#latest);
  }

  /** Returns whether it was the last receiver: the subscription has ended. */
  remove(receive: (sample: FeedSample) => void): boolean {
    this.#receivers.delete(receive);
    if (this.#receivers.size > 0) return false;
    this.#isClosed = true;
    this.#subscription?.unsubscribe();
    return true;
  }

  #received({ data, headers }: BusMessage): void {
    const text = headers?.get("Mgr-Time") ?? "";
    const time = /^\d{1,19}$/.test(text) ? BigInt(text) : BigInt(this.#options.now()) * NS_PER_MS;
    const sample = { data, time, publishers: this.#options.publishers(this.#subject) };
    this.#latest = sample;
    for (const receive of this.#receivers) receive(sample);
  }
}
