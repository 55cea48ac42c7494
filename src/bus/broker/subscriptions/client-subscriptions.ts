import type { HookedClient } from "../broker-hooks.ts";
import type { BrokerParts } from "../broker-parts.ts";
import { ClientSubscription } from "../broker-subscriber.ts";
import type { Departures } from "../departures.ts";
import type { SubscriptionState } from "../handover/handed-client.ts";
import type { SubscriptionHolder } from "./subscription-budget.ts";
import type { SubscriptionLimits } from "./subscription-limits.ts";

interface SubscriptionEnvironment extends Pick<BrokerParts, "router" | "hooks"> {
  readonly subscriptionLimits: SubscriptionLimits;
  readonly departures: Departures;
}

/** The subscriptions of one client, within the limits. */
export class ClientSubscriptions {
  readonly bySid = new Map<string, ClientSubscription>();
  readonly #client: HookedClient & SubscriptionHolder;
  readonly #environment: SubscriptionEnvironment;

  constructor(client: HookedClient & SubscriptionHolder, environment: SubscriptionEnvironment) {
    this.#client = client;
    this.#environment = environment;
  }

  /** Returns the reason if the subscription must not be added. */
  add(subscription: ClientSubscription): string | null {
    const { router, subscriptionLimits } = this.#environment;
    const reason = subscriptionLimits.add(this.#client, subscription);
    if (reason !== null) return reason;
    this.bySid.set(subscription.sid, subscription);
    router.tree.insert(subscription);
    subscriptionLimits.added(subscription);
    return null;
  }

  remove(subscription: ClientSubscription): void {
    subscription.isEnded = true;
    this.#environment.subscriptionLimits.remove(this.#client, subscription);
    this.#withdraw(subscription);
  }

  /** Ends all of them: the client is gone. */
  end(): void {
    const { departures, subscriptionLimits } = this.#environment;
    // Limits are freed at once, so that the client has all of them again when it reconnects.
    for (const subscription of this.bySid.values()) subscriptionLimits.remove(this.#client, subscription);
    subscriptionLimits.closed(this.#client);
    departures.begin(this.bySid.values(), (subscription) => this.#withdraw(subscription));
  }

  handOver(): SubscriptionState[] {
    return [...this.bySid.values()].map(({ sid, subject, queue, isFiltered, max, delivered }) => {
      return { sid, subject, queue, isFiltered, max, delivered };
    });
  }

  /** Adds the subscriptions that the client had at an earlier broker. */
  adopt(subscriptions: readonly SubscriptionState[]): void {
    for (const { max, delivered, ...fields } of subscriptions)
      this.add(Object.assign(new ClientSubscription(this.#client, fields), { max, delivered }));
  }

  #withdraw(subscription: ClientSubscription): void {
    this.bySid.delete(subscription.sid);
    this.#environment.router.tree.remove(subscription);
    this.#environment.hooks?.unsubscribed(this.#client, subscription);
  }
}
