import { SubscriptionTree } from "../../../bus/broker/broker-subscriptions.ts";
import type { KnownClient } from "./broker-tables.ts";

interface Entry {
  readonly client: KnownClient;
  readonly subject: string;
  /** Members of a queue group count like others. */
  readonly queue: null;
}

/** Which clients subscribe to which topics, wherever they are connected. */
export class Subscriptions {
  readonly #tree = new SubscriptionTree<Entry>();
  readonly #entries = new Map<KnownClient, readonly Entry[]>();
  /** Clients whose subscriptions hold wildcards: what they match changes with the topics. */
  readonly wild = new Set<KnownClient>();

  /** Takes the client's subscriptions as they are now. Returns the subjects that were added or removed. */
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

  /** Returns the subjects that it had. */
  drop(client: KnownClient): ReadonlySet<string> {
    const before = this.#entries.get(client) ?? [];
    this.#remove(client);
    return new Set(before.map(({ subject }) => subject));
  }

  /** One entry for each subscription that the subject reaches. */
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
