import type { BrokerLimits } from "../broker-protocol.ts";
import type { ClientSubscription, Subscriber } from "../broker-subscriber.ts";
import type { SubscriptionTree } from "../broker-subscriptions.ts";
import { GroupLimits } from "./group-limits.ts";
import { costOf, overLimit, SubscriptionBudget, type SubscriptionHolder } from "./subscription-budget.ts";

type Client = Subscriber & SubscriptionHolder;

/**
 * Limits of the subscriptions of clients: of each connection, of all connections of a program, of all clients. A broker announces at most
 * what its clients may have together, whether its link is up or not, so that a hub accepts all of it.
 */
export class SubscriptionLimits {
  readonly #limits: BrokerLimits;
  readonly #groups: GroupLimits;
  readonly #budget: SubscriptionBudget;
  /** Number and cost of the subscriptions of each connection. */
  readonly #used = new WeakMap<Client, { count: number; bytes: number }>();

  constructor(tree: SubscriptionTree<ClientSubscription>, limits: BrokerLimits) {
    this.#limits = limits;
    this.#groups = new GroupLimits(tree, limits);
    this.#budget = new SubscriptionBudget({
      total: { count: limits.maxClientsSubscriptions, bytes: limits.maxClientsSubscriptionBytes },
      share: { count: limits.maxProgramSubscriptions, bytes: limits.maxProgramSubscriptionBytes },
      owner: "one program",
      owners: "the clients of this host",
    });
  }

  /** Counts a subscription that is about to be inserted; returns a reason if it must not be. */
  add(client: Client, subscription: ClientSubscription): string | null {
    const used = this.#used.get(client) ?? { count: 0, bytes: 0 };
    const needed = { count: used.count + 1, bytes: used.bytes + costOf(subscription) };
    const { maxSubscriptions: count, maxSubscriptionBytes: bytes } = this.#limits;
    const { program = null } = client;
    const refusal =
      overLimit({ count, bytes }, needed, "one connection") ??
      this.#groups.refusal(subscription) ??
      (program === null ? null : this.#budget.claim(program, client, subscription));
    if (refusal === null) this.#used.set(client, needed);
    return refusal;
  }

  /** Called after the subscription was inserted. */
  added(subscription: ClientSubscription): void {
    this.#groups.changed(subscription, 1);
  }

  /** Called before the subscription is removed. */
  remove(client: Client, subscription: ClientSubscription): void {
    this.#groups.changed(subscription, -1);
    const used = this.#used.get(client);
    if (used !== undefined) {
      used.count--;
      used.bytes -= costOf(subscription);
    }
    if (typeof client.program === "string") this.#budget.release(client.program, subscription);
  }

  /** Called when the client is closed and has no subscriptions any more. */
  closed(client: Client): void {
    if (typeof client.program === "string") this.#budget.closed(client.program, client);
  }
}
