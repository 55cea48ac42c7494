import type { BrokerLimits } from "../broker-protocol.ts";
import type { Subscriber } from "../broker-subscriber.ts";
import type { FairQueue } from "./fair-queue.ts";

/** A publisher that has more than this share of a full queue waits until the receiver, if it reads fast, has read half of it. */
const WAITING_SHARE = 1 / 2;
/** The longest that a publisher waits, milliseconds: on a busy machine, a fast receiver may wait for a processor. */
const MAX_WAIT_MS = 100;

/** Publishers that wait for a receiver that reads fast, so that they need not lose anything. */
export class WaitingPublishers {
  readonly #queue: FairQueue;
  readonly #limits: Pick<BrokerLimits, "maxPending">;
  readonly #onExpired: () => void;
  /** Callbacks that let the waiting publishers go on. */
  readonly #waiting = new Map<Subscriber, () => void>();

  /** `onExpired`: the receiver has not read in time. */
  constructor(queue: FairQueue, limits: Pick<BrokerLimits, "maxPending">, onExpired: () => void) {
    this.#queue = queue;
    this.#limits = limits;
    this.#onExpired = onExpired;
  }

  /** A message of this publisher was queued. */
  queued(publisher: Subscriber): void {
    if (this.#queue.bytesFrom(publisher) <= this.#limits.maxPending * WAITING_SHARE) return;
    // The manager and hosts wait for no receiver.
    if (publisher.isOrdered || publisher.connection === null || this.#waiting.has(publisher)) return;
    const goOn = publisher.connection.press(MAX_WAIT_MS, () => {
      this.#waiting.delete(publisher);
      this.#onExpired();
    });
    this.#waiting.set(publisher, goOn);
  }

  /** Messages were sent: publishers go on, half of whose messages have left. */
  relieve(): void {
    if (this.#waiting.size === 0) return;
    const goal = (this.#limits.maxPending * WAITING_SHARE) / 2;
    for (const [publisher, goOn] of this.#waiting)
      if (this.#queue.bytesFrom(publisher) < goal) {
        this.#waiting.delete(publisher);
        goOn();
      }
  }

  /** The receiver is gone. */
  close(): void {
    for (const goOn of this.#waiting.values()) goOn();
    this.#waiting.clear();
  }
}
