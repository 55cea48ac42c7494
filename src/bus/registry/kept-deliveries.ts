import type { HookedClient } from "../broker/broker-hooks.ts";
import type { ClientSubscription } from "../broker/broker-subscriber.ts";
import { KeptDelivery } from "./kept-delivery.ts";
import { lastMoment } from "./last-message.ts";
import type { RegistryState } from "./registry-state.ts";
import type { TopicEntry } from "./topic-entry.ts";

/** The subscribers that are being sent kept messages. */
export class KeptDeliveries {
  readonly #running = new Set<KeptDelivery>();

  begin(subscription: ClientSubscription, topics: Iterator<TopicEntry>): void {
    this.#run(new KeptDelivery(subscription, topics, lastMoment()));
  }

  handOver(): RegistryState["deliveries"] {
    return [...this.#running]
      .filter(({ subscription }) => !subscription.isEnded && subscription.client.link === null)
      .map(({ subscription: { client, sid }, since, after }) => ({ client: client.id, sid, since, after }));
  }

  /** Continues deliveries of an earlier program. */
  adopt(
    deliveries: RegistryState["deliveries"],
    clients: ReadonlyMap<number, HookedClient>,
    topics: () => IterableIterator<TopicEntry>,
  ): void {
    for (const { client, sid, since, after } of deliveries) {
      const subscription = clients.get(client)?.subscriptions.get(sid);
      if (subscription === undefined) continue;
      const left = topics();
      if (after !== null) for (const { subject } of left) if (subject === after) break;
      this.#run(new KeptDelivery(subscription, left, since));
    }
  }

  #run(delivery: KeptDelivery): void {
    if (!delivery.run(() => this.#running.delete(delivery))) this.#running.add(delivery);
  }
}
