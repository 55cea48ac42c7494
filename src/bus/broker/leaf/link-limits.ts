import type { BrokerLimits } from "../broker-protocol.ts";
import type { ClientSubscription } from "../broker-subscriber.ts";
import { type Amount, costOf, overLimit, SubscriptionBudget, type SubscriptionHolder } from "../subscriptions/subscription-budget.ts";

interface LinkEnd {
  readonly peer: "hub" | "leaf";
  /** Name of the leaf, as the owner of interest. */
  readonly owner: string;
}

/**
 * Limits of the interest that other brokers announce. A leaf may announce as much as its clients may have together; all leaves share a
 * budget. A hub announces interest of its own clients and of all leaves, so a leaf accepts the sum of both.
 */
export class LinkLimits {
  readonly #ofHub: Amount;
  readonly #leaves: SubscriptionBudget;
  #hub = { count: 0, bytes: 0 };

  constructor(limits: BrokerLimits) {
    const total = { count: limits.maxLinksSubscriptions, bytes: limits.maxLinksSubscriptionBytes };
    this.#ofHub = { count: total.count + limits.maxLinkSubscriptions, bytes: total.bytes + limits.maxLinkSubscriptionBytes };
    this.#leaves = new SubscriptionBudget({
      total,
      share: { count: limits.maxLinkSubscriptions, bytes: limits.maxLinkSubscriptionBytes },
      owner: "one host",
      owners: "all hosts together",
    });
  }

  /** Counts interest that is about to be inserted; returns a reason if it must not be. */
  add({ peer, owner }: LinkEnd, link: SubscriptionHolder, subscription: ClientSubscription): string | null {
    if (peer === "leaf") return this.#leaves.claim(owner, link, subscription);
    const needed = { count: this.#hub.count + 1, bytes: this.#hub.bytes + costOf(subscription) };
    const reason = overLimit(this.#ofHub, needed, "the hub");
    if (reason === null) this.#hub = needed;
    return reason;
  }

  /** Called when interest is removed. */
  remove({ peer, owner }: LinkEnd, subscription: ClientSubscription): void {
    if (peer === "leaf") this.#leaves.release(owner, subscription);
    else this.#hub = { count: this.#hub.count - 1, bytes: this.#hub.bytes - costOf(subscription) };
  }

  /** Called when the link is closed. */
  closed({ peer, owner }: LinkEnd, link: SubscriptionHolder): void {
    if (peer === "leaf") this.#leaves.closed(owner, link);
  }
}
