import type { DomainEvents } from "../../../actors/domain-events.ts";
import type { Owners } from "../../../base/access/access.ts";
import type { ChangeFrame } from "../../../protocol/frames/frames.ts";
import type { Client } from "../../../protocol/resources/resources.ts";
import type { Service } from "../wire/service.ts";
import type { Topic } from "../wire/topic.ts";
import type { KnownClient } from "./broker-tables.ts";
import type { OwnerChange } from "./granted-changes.ts";
import { isSameOwners } from "./ownership.ts";

/** A resource with the processes to which it belongs; null: there is none. */
export type Owned<T> = { readonly resource: T; readonly owners: Owners } | null;

/** The tables as they are now. */
interface Present {
  client(known: KnownClient): Owned<Client>;
  topic(subject: string): Owned<Topic>;
  service(name: string): Owned<Service>;
  /** Clients that publish a topic or subscribe to it. */
  clientsOfTopic(subject: string): Iterable<KnownClient>;
  /** Clients that provide a service. */
  clientsOfService(name: string): Iterable<KnownClient>;
}

interface Published {
  readonly text: string;
  readonly owners: Owners;
}

/** Publishes changes of clients, topics and services: an upsert is sent only if something has changed. */
export class ResourceChanges {
  readonly clients = new Set<KnownClient>();
  readonly topics = new Set<string>();
  readonly services = new Set<string>();
  readonly #events: DomainEvents;
  readonly #present: Present;
  readonly #published = {
    clients: new Map<number, Published>(),
    topics: new Map<string, { readonly resource: Topic; readonly owners: Owners }>(),
    services: new Map<string, Published>(),
  };
  readonly #ownerChanges = new WeakMap<ChangeFrame, OwnerChange>();
  /** Clients that are published although they are the same: users with roles on some processes see other names in them. */
  readonly #seenAnew = new Set<KnownClient>();

  constructor(events: DomainEvents, present: Present) {
    this.#events = events;
    this.#present = present;
  }

  /** Topics as published last. */
  publishedTopics(): { readonly resource: Topic; readonly owners: Owners }[] {
    return [...this.#published.topics.values()];
  }

  /** The owners of the resource that an event is about; undefined: the event is about something else. */
  ownersOf(event: ChangeFrame): OwnerChange | undefined {
    return this.#ownerChanges.get(event);
  }

  /** Publishes what has changed: topics before clients, whose lists name them. */
  publishTopics(): void {
    for (const subject of this.topics) this.#publishTopic(subject);
    this.topics.clear();
  }

  publishOthers(): void {
    for (const name of this.services) this.#publishService(name);
    this.services.clear();
    for (const known of [...this.clients, ...this.#seenAnew]) this.#publishClient(known);
    this.clients.clear();
    this.#seenAnew.clear();
  }

  #publishTopic(subject: string): void {
    const { topics } = this.#published;
    const before = topics.get(subject);
    const now = this.#present.topic(subject);
    const owners = { before: before?.owners ?? null, now: now?.owners ?? null };
    const isOwnedAnew = !isSameOwners(owners.before, owners.now);
    if (isOwnedAnew) for (const client of this.#present.clientsOfTopic(subject)) this.#seenAnew.add(client);
    if (now === null) {
      if (before === undefined) return;
      topics.delete(subject);
      this.#publish({ type: "topic_remove", name: before.resource.name }, owners);
      return;
    }
    const { resource } = now;
    const isSame = Object.entries(resource).every(([key, value]) => before?.resource[key as keyof Topic] === value);
    if (isSame && !isOwnedAnew) return;
    topics.set(subject, now);
    this.#publish({ type: "topic_upsert", topic: resource }, owners);
  }

  #publishService(name: string): void {
    const { services } = this.#published;
    const before = services.get(name);
    const now = this.#present.service(name);
    const owners = { before: before?.owners ?? null, now: now?.owners ?? null };
    const isOwnedAnew = !isSameOwners(owners.before, owners.now);
    if (isOwnedAnew) for (const client of this.#present.clientsOfService(name)) this.#seenAnew.add(client);
    if (now === null) {
      if (services.delete(name)) this.#publish({ type: "service_remove", name }, owners);
      return;
    }
    const text = JSON.stringify(now.resource);
    if (before?.text === text && !isOwnedAnew) return;
    services.set(name, { text, owners: now.owners });
    this.#publish({ type: "service_upsert", service: now.resource }, owners);
  }

  #publishClient(known: KnownClient): void {
    const { clients } = this.#published;
    const before = clients.get(known.id);
    const now = this.#present.client(known);
    const owners = { before: before?.owners ?? null, now: now?.owners ?? null };
    if (now === null) {
      if (clients.delete(known.id)) this.#publish({ type: "client_remove", id: known.id }, owners);
      return;
    }
    const text = JSON.stringify(now.resource);
    if (before?.text === text && isSameOwners(owners.before, owners.now) && !this.#seenAnew.delete(known)) return;
    this.#seenAnew.delete(known);
    clients.set(known.id, { text, owners: now.owners });
    this.#publish({ type: "client_upsert", client: now.resource }, owners);
  }

  #publish(event: ChangeFrame, owners: OwnerChange): void {
    this.#ownerChanges.set(event, owners);
    this.#events.publish(event);
  }
}
