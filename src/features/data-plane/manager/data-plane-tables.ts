import type { DomainEvents } from "../../../actors/domain-events.ts";
import type { Grant } from "../../../base/access/access.ts";
import type { ClientRecord, RegistryChange, ServiceRecord, TopicRecord } from "../../../contract/registry.ts";
import type { LogBook } from "../../../log/log-book.ts";
import type { ChangeFrame } from "../../../protocol/frames/frames.ts";
import type { Client } from "../../../protocol/resources/resources.ts";
import type { Service } from "../wire/service.ts";
import type { Topic, TopicLimit } from "../wire/topic.ts";
import { BrokerTables, type KnownClient, type KnownService, type KnownTopic, type TableObserver } from "./broker-tables.ts";
import type { ClientIds } from "./client-ids.ts";
import { isSeen, type Sight, shownChange } from "./granted-changes.ts";
import { Ownership, ownersOfClient } from "./ownership.ts";
import { type Owned, ResourceChanges } from "./resource-changes.ts";
import { clientResource, serviceResource, topicResource } from "./resources.ts";
import { isWild, Subscriptions } from "./topics/subscriptions.ts";
import { TopicConflicts } from "./topics/topic-conflicts.ts";
import { TopicLimits } from "./topics/topic-limits.ts";

interface DataPlaneTablesOptions {
  readonly ids: ClientIds;
  readonly events: DomainEvents;
  readonly log: LogBook;
  /** Canonical name of the host with this address, or the IP itself. */
  readonly hostOfAddress: (address: string) => string;
  /** IP address of a host, as the manager sees it. */
  readonly addressOfHost: (host: string) => string;
  /** Sends a broker the topics that its clients must not publish. */
  readonly lose: (broker: BrokerTables, topics: ReadonlyMap<string, string>) => void;
}

/** Clients, topics and services of all hosts and of the manager's own broker, and their resources. */
export class DataPlaneTables implements TableObserver {
  readonly #options: DataPlaneTablesOptions;
  readonly #brokers = new Map<string | null, BrokerTables>();
  readonly #clients = new Map<number, KnownClient>();
  readonly #topics = new Map<string, Set<KnownTopic>>();
  readonly #services = new Map<string, Set<KnownService>>();
  readonly #subscriptions = new Subscriptions();
  readonly #conflicts: TopicConflicts;
  readonly #limits = new TopicLimits();
  readonly owners = new Ownership({ topics: this.#topics, services: this.#services });
  readonly #dirty: ResourceChanges;
  #arrivals = 0;

  constructor(options: DataPlaneTablesOptions) {
    this.#options = options;
    const { events, log, lose } = options;
    this.#conflicts = new TopicConflicts({
      log,
      lose,
      publisherOf: (topic) => this.#nameWithHost(topic),
      processesOf: (subject) => this.owners.publishersAt(subject) ?? [],
    });
    this.#dirty = new ResourceChanges(events, {
      client: (known) => (this.#clients.has(known.id) ? { resource: this.#client(known), owners: ownersOfClient(known) } : null),
      topic: (subject) => this.#ownedTopic(subject),
      service: (name) => this.#ownedService(name),
      clientsOfTopic: (subject) => [...this.subscribers(subject), ...this.#ownersOf(this.#topics.get(subject) ?? [])],
      clientsOfService: (name) => this.#ownersOf(this.instances(name)),
    });
  }

  /** Clients on whose processes these grants have a role, with the names of topics and services that they show; null: all. */
  clients(grants: Sight = null): Client[] {
    const clients = [...this.#clients.values()].filter((client) => isSeen(grants, ownersOfClient(client)));
    return clients.map((client) => this.owners.shownClient(this.#client(client), grants));
  }

  /** Topics as published last. */
  topics(grants: Sight = null): Topic[] {
    return this.#dirty.publishedTopics().flatMap(({ resource, owners }) => (isSeen(grants, owners) ? resource : []));
  }

  /** Services by name, because answers of services arrive in any order. */
  services(grants: Sight = null): Service[] {
    const services = [...this.#services.keys()].sort().map((name) => this.#ownedService(name));
    return services.flatMap((service) => (service !== null && isSeen(grants, service.owners) ? service.resource : []));
  }

  client(id: number): KnownClient | undefined {
    return this.#clients.get(id);
  }

  /** The part of a change of these tables that such grants show. */
  changeFor(change: ChangeFrame, grants: readonly Grant[]): readonly ChangeFrame[] {
    const owners = this.#dirty.ownersOf(change);
    return owners === undefined
      ? []
      : shownChange(change, owners, { grants, shownClient: (client) => this.owners.shownClient(client, grants) });
  }

  /** Canonical name of the client's host, or the IP of a machine that is not a host. */
  hostOf({ broker, record }: KnownClient): string {
    return broker.host ?? this.#options.hostOfAddress(record.address);
  }

  /** Canonical name of the host with this address, or the IP itself. */
  hostOfAddress(address: string): string {
    return this.#options.hostOfAddress(address);
  }

  /** Subjects of all topics. */
  subjects(): IterableIterator<string> {
    return this.#topics.keys();
  }

  /** The topic that is shown under this subject. */
  topic(subject: string): { resource: Topic; known: KnownTopic; publisher: KnownClient | undefined } | null {
    const settled = this.#conflicts.settle(subject, [...(this.#topics.get(subject) ?? [])]);
    if (settled === null) return null;
    const { topic, problem } = settled;
    return { resource: this.#topic(topic, problem), known: topic, publisher: topic.broker.owner(topic.record) };
  }

  /** Clients that subscribe to the subject, one entry each. */
  subscribers(subject: string): KnownClient[] {
    return [...new Set(this.#subscriptions.to(subject))];
  }

  /** All instances of a service. */
  instances(name: string): KnownService[] {
    return [...(this.#services.get(name) ?? [])];
  }

  allInstances(): KnownService[] {
    return [...this.#services.values()].flatMap((instances) => [...instances]);
  }

  /** Applies changes of a broker; null: the manager's. */
  apply(host: string | null, changes: readonly RegistryChange[]): void {
    this.#broker(host).apply(changes);
    this.#publish();
  }

  /** Replaces the tables of a broker; null: the manager's. */
  replace(host: string | null, life: string, rows: readonly RegistryChange[]): void {
    const broker = this.#broker(host);
    broker.isReachable = true;
    broker.replace(life, rows);
    for (const subject of broker.topics.keys()) this.#dirty.topics.add(subject);
    this.#publish();
    this.#conflicts.resend(broker);
  }

  /** Called when the host does not answer: its clients stay, and its rates are 0. */
  lost(host: string): void {
    const broker = this.#brokers.get(host);
    if (broker === undefined || !broker.isReachable) return;
    broker.isReachable = false;
    for (const subject of broker.topics.keys()) this.#dirty.topics.add(subject);
    this.#publish();
  }

  /** Called when the host or its daemon is gone; removes its clients. */
  remove(host: string): void {
    const broker = this.#brokers.get(host);
    if (broker === undefined) return;
    broker.clear();
    this.#brokers.delete(host);
    this.#publish();
    this.#conflicts.forget(broker);
  }

  /** Replaces the limits that a process of the configuration names for topics, by subject. */
  replaceLimits(process: string, limits: ReadonlyMap<string, TopicLimit>): void {
    const changed = this.#limits.replace(process, limits);
    for (const subject of changed) this.#dirty.topics.add(subject);
    if (changed.length > 0) this.#publish();
  }

  clientChanged(client: KnownClient, before: ClientRecord | null): void {
    this.#clients.set(client.id, client);
    this.#dirty.clients.add(client);
    for (const subject of this.#subscriptions.update(client)) this.#touchTopics(subject);
    if (before !== null && before.name === client.record.name && before.process_name === client.record.process_name) return;
    this.owners.changed();
    this.#touchOwned(client);
  }

  clientGone(client: KnownClient): void {
    this.owners.changed();
    this.#touchOwned(client);
    this.#clients.delete(client.id);
    this.#dirty.clients.add(client);
    for (const subject of this.#subscriptions.drop(client)) this.#touchTopics(subject);
  }

  topicChanged(topic: KnownTopic, before: TopicRecord | null): void {
    const { subject } = topic.record;
    const known = this.#topics.get(subject) ?? new Set();
    this.#topics.set(subject, known.add(topic));
    this.#dirty.topics.add(subject);
    if (before === null || !isPublishedBySame(before, topic.record)) this.owners.changed();
    if (before?.connection === topic.record.connection) return;
    this.#touchOwner(topic);
    if (before !== null) this.#touchOwner({ ...topic, record: before });
    else this.#touchWild();
  }

  topicGone(topic: KnownTopic): void {
    const { subject } = topic.record;
    const known = this.#topics.get(subject);
    known?.delete(topic);
    if (known?.size === 0) this.#topics.delete(subject);
    this.owners.changed();
    this.#dirty.topics.add(subject);
    this.#touchOwner(topic);
    this.#touchWild();
  }

  serviceChanged(service: KnownService, before: ServiceRecord | null): void {
    if (before !== null && before.name !== service.record.name) this.#removeService(before.name, service);
    const { name } = service.record;
    this.#services.set(name, (this.#services.get(name) ?? new Set()).add(service));
    this.owners.serviceChanged(service);
    this.#dirty.services.add(name);
    this.#touchOwner(service);
  }

  serviceGone(service: KnownService): void {
    this.#removeService(service.record.name, service);
    this.owners.serviceGone(service);
    this.#touchOwner(service);
  }

  #broker(host: string | null): BrokerTables {
    const known = this.#brokers.get(host);
    if (known) return known;
    const broker = new BrokerTables({ host, ids: this.#options.ids, arrive: () => ++this.#arrivals, observer: this });
    this.#brokers.set(host, broker);
    return broker;
  }

  #removeService(name: string, service: KnownService): void {
    const instances = this.#services.get(name);
    instances?.delete(service);
    if (instances?.size === 0) this.#services.delete(name);
    this.#dirty.services.add(name);
  }

  #touchOwner({ broker, record }: { broker: BrokerTables; record: { connection: number } }): void {
    const owner = broker.owner(record);
    if (owner) this.#dirty.clients.add(owner);
  }

  /** Marks the topics and services of a client, whose name and process are part of them. */
  #touchOwned({ broker, record: { connection } }: KnownClient): void {
    for (const { record } of broker.topics.values()) if (record.connection === connection) this.#dirty.topics.add(record.subject);
    for (const { record } of broker.services.values()) if (record.connection === connection) this.#dirty.services.add(record.name);
  }

  #touchWild(): void {
    for (const client of this.#subscriptions.wild) this.#dirty.clients.add(client);
  }

  /** Marks topics whose number of subscribers may have changed. */
  #touchTopics(subject: string): void {
    if (!isWild(subject)) this.#dirty.topics.add(subject);
    else for (const known of this.#topics.keys()) this.#dirty.topics.add(known);
  }

  #publish(): void {
    this.#dirty.publishTopics();
    this.#conflicts.send();
    this.#dirty.publishOthers();
  }

  #ownersOf(entries: Iterable<KnownTopic | KnownService>): KnownClient[] {
    return [...entries].flatMap(({ broker, record }) => broker.owner(record) ?? []);
  }

  #ownedTopic(subject: string): Owned<Topic> {
    const topic = this.topic(subject);
    return topic && { resource: topic.resource, owners: this.owners.publishersAt(subject) };
  }

  #ownedService(name: string): Owned<Service> {
    const [first] = this.#services.get(name) ?? [];
    return first === undefined ? null : { resource: this.#service(first), owners: this.owners.providersOf(name) };
  }

  #client(client: KnownClient): Client {
    const host = this.hostOf(client);
    return clientResource(client, { host, hostAddress: this.#options.addressOfHost(host), topics: [...this.#topics.keys()] });
  }

  #service(service: KnownService): Service {
    const owner = service.broker.owner(service.record);
    return serviceResource(service, owner === undefined ? (service.broker.host ?? "") : this.hostOf(owner));
  }

  #topic(topic: KnownTopic, problem: string | null): Topic {
    const publisher = topic.broker.owner(topic.record);
    const host = publisher === undefined ? (topic.broker.host ?? "") : this.hostOf(publisher);
    const { subject } = topic.record;
    const [subscribers, limits] = [this.#subscriptions.to(subject).length, this.#limits.of(subject)];
    return topicResource(topic, { publisher, host, problem, subscribers, limits });
  }

  #nameWithHost(topic: KnownTopic): string {
    const client = topic.broker.owner(topic.record);
    return client === undefined ? "another client" : `client '${client.record.name}' of host '${this.hostOf(client)}'`;
  }
}

/** Whether a topic has the same publishers as before. */
function isPublishedBySame(before: TopicRecord, now: TopicRecord): boolean {
  return before.connection === now.connection && before.foreign === now.foreign && before.others.join("\0") === now.others.join("\0");
}
