import { SubscriptionTree } from "../../../../bus/broker/broker-subscriptions.ts";
import type { KnownClient } from "../broker-tables.ts";

interface Entry {
  readonly client: KnownClient;
  readonly subject: string;
  /** Members of a queue group count like other subscribers. */
  readonly queue: null;
}

/** Subscriptions of all clients to topics, on all brokers. */
export class Subscriptions {
  readonly #tree = new SubscriptionTree<Entry>();
  readonly #entries = new Map<KnownClient, readonly Entry[]>();
  /** Clients whose subscriptions contain wildcards: the topics that they match change with the list of topics. */
  readonly wild = new Set<KnownClient>();

  /** Replaces the client's subscriptions. Returns the subjects that were added or removed. */
  update(client: KnownClient): ReadonlySet<string> {
    const before = this.#entries.get(client) ?? [];
    const after = client.record.subscriptions;
    if (before.length === after.length && before.every(({ subject }, index) => subject === after[index])) return new Set();
    this.#remove(client);
    const entries = after.map((subject) => ({ client, subject, queue: null }));
    for (const entry of entries) this.#tree.insert(entry);
    this.#entries.set(client, entries);
    if (after.some(isWild)) this.wild.add(client);
    return new Set([...before.map(({ subject }) => subject), ...after]);
  }

  /** Removes the client. Returns the subjects that it had subscribed to. */
  drop(client: KnownClient): ReadonlySet<string> {
    const before = this.#entries.get(client) ?? [];
    this.#remove(client);
    return new Set(before.map(({ subject }) => subject));
  }

  /** Clients that receive the subject, one entry for each subscription. */
  to(subject: string): KnownClient[] {
    return Array.from(this.#tree.match(subject).plain(), ({ client }) => client);
  }

  #remove(client: KnownClient): void {
    for (const entry of this.#entries.get(client) ?? []) this.#tree.remove(entry);
    this.#entries.delete(client);
    this.wild.delete(client);
  }
}

export function isWild(subject: string): boolean {
  return subject.split(".").some((token) => token === "*" || token === ">");
}
