import { BorrowedMessage } from "../borrowed-message.ts";
import type { SubjectCounters } from "../broker-counters.ts";
import type { ClientSubscription, Subscriber } from "../broker-subscriber.ts";
import { type BrokerTurns, Budget, type Worker } from "../broker-turns.ts";
import type { Envelope } from "../parser/broker-operations.ts";
import type { MatchedGroup } from "../subscriptions/match.ts";
import { Fanout } from "./fanout.ts";

/** Maximum number of receivers of one message before another worker has its turn. */
const MAX_RECEIVERS_PER_TURN = 256;

/** The receivers of one message, as they were when it was published. */
interface Receivers {
  readonly plain: readonly (readonly ClientSubscription[])[];
  readonly groups: readonly MatchedGroup<ClientSubscription>[];
}

interface Delivery {
  readonly fanout: Fanout;
  readonly account: SubjectCounters;
  readonly steps: Iterator<void>;
}

/**
 * Messages to many receivers, delivered in slices between which everything else of the program runs. The messages of one publisher stay in
 * order: its later messages wait behind.
 */
export class SlicedDeliveries {
  readonly #turns: BrokerTurns;
  readonly #publishers = new Map<Subscriber, PublisherDeliveries>();

  constructor(turns: BrokerTurns) {
    this.#turns = turns;
  }

  /** Whether a message of this publisher is still being delivered. */
  isPending(publisher: Subscriber): boolean {
    return this.#publishers.size > 0 && this.#publishers.has(publisher);
  }

  /** Reads nothing more from the publisher until its messages are delivered, so that they cannot pile up. */
  holdWhilePending(publisher: Subscriber, connection: { hold(until: Promise<void>): void }): void {
    if (this.#publishers.size === 0) return;
    const own = this.#publishers.get(publisher);
    if (own !== undefined) connection.hold(own.done);
  }

  /** Returns true if there is interest in the message, of which a copy is kept. */
  begin(publisher: Subscriber, given: Envelope, message: BorrowedMessage, receivers: Receivers, account: SubjectCounters): boolean {
    const envelope = { ...given };
    const copy = Buffer.from(message.whole());
    const fanout = new Fanout(publisher, envelope, new BorrowedMessage().of(copy, 0, copy.length));
    const hasReceivers = receivers.groups.length > 0 || receivers.plain.some((list) => list.some((each) => fanout.receives(each)));
    let own = this.#publishers.get(publisher);
    if (own === undefined) {
      own = new PublisherDeliveries(() => this.#publishers.delete(publisher));
      this.#publishers.set(publisher, own);
    }
    own.add({ fanout, account, steps: deliver(fanout, receivers) });
    this.#turns.add(own);
    return hasReceivers;
  }

  /** Delivers everything now: the program is about to be replaced. */
  finish(): void {
    for (const own of this.#publishers.values()) {
      this.#turns.remove(own);
      while (!own.work(new Budget()));
    }
  }

  /** Ends all deliveries: the broker is closed. */
  close(): void {
    for (const own of this.#publishers.values()) {
      this.#turns.remove(own);
      own.end();
    }
  }
}

function* deliver(fanout: Fanout, { plain, groups }: Receivers): Generator<void> {
  for (const list of plain)
    for (const subscription of list) {
      fanout.plain(subscription);
      yield;
    }
  for (const group of groups) {
    fanout.group(group);
    yield;
  }
}

class PublisherDeliveries implements Worker {
  readonly isHeavy = true;
  readonly done: Promise<void>;
  readonly #deliveries: Delivery[] = [];
  readonly #onDone: () => void;
  #resolve = () => {};

  constructor(onDone: () => void) {
    this.#onDone = onDone;
    this.done = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  add(delivery: Delivery): void {
    this.#deliveries.push(delivery);
  }

  work(budget: Budget): boolean {
    let left = MAX_RECEIVERS_PER_TURN;
    for (let delivery = this.#deliveries[0]; delivery !== undefined; delivery = this.#deliveries[0]) {
      while (!delivery.steps.next().done) if (budget.spend(1) || --left === 0) return false;
      this.#deliveries.shift();
      delivery.fanout.finish(delivery.account);
    }
    this.end();
    return true;
  }

  end(): void {
    this.#onDone();
    this.#resolve();
  }

  flush(): void {}
}
