import type { BrokerLimits } from "../broker-protocol.ts";
import type { Subscriber } from "../broker-subscriber.ts";
import type { FairQueue } from "./fair-queue.ts";

/** A publisher that has more than this share of a full queue waits until the receiver, if it reads fast, has read half of it. */
const WAITING_SHARE = 1 / 2;
/** Maximum time that a publisher waits, milliseconds: on a busy machine, a fast receiver may wait for a processor. */
const MAX_WAIT_MS = 100;

/** Publishers that wait for a receiver that reads fast, so that no messages are lost. */
export class WaitingPublishers {
  readonly #queue: FairQueue;
  readonly #limits: Pick<BrokerLimits, "maxPending">;
  readonly #onExpired: () => void;
  /** Callbacks that let the waiting publishers continue. */
  readonly #waiting = new Map<Subscriber, () => void>();

  /** `onExpired` is called when the receiver has not read in time. */
  constructor(queue: FairQueue, limits: Pick<BrokerLimits, "maxPending">, onExpired: () => void) {
    this.#queue = queue;
    this.#limits = limits;
    this.#onExpired = onExpired;
  }

  /** Called when a message of this publisher was queued. */
  queued(publisher: Subscriber): void {
    if (this.#queue.bytesFrom(publisher) <= this.#limits.maxPending * WAITING_SHARE) return;
    // The manager and hosts do not wait for receivers.
    if (publisher.isOrdered || publisher.connection === null || this.#waiting.has(publisher)) return;
    const goOn = publisher.connection.press(MAX_WAIT_MS, () => {
      this.#waiting.delete(publisher);
      this.#onExpired();
    });
    this.#waiting.set(publisher, goOn);
  }

  /** Called when messages were sent: publishers continue when half of their messages have left. */
  relieve(): void {
    if (this.#waiting.size === 0) return;
    const goal = (this.#limits.maxPending * WAITING_SHARE) / 2;
    for (const [publisher, goOn] of this.#waiting)
      if (this.#queue.bytesFrom(publisher) < goal) {
        this.#waiting.delete(publisher);
        goOn();
      }
  }

  /** Lets all publishers continue: the receiver is gone. */
  close(): void {
    for (const goOn of this.#waiting.values()) goOn();
    this.#waiting.clear();
  }
}
