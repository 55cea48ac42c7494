import type { DomainEvents } from "../../../actors/domain-events.ts";
import type { ClientRecord, RegistryChange, ServiceRecord, TopicRecord } from "../../../contract/registry.ts";
import type { LogBook } from "../../../log/log-book.ts";
import type { Client } from "../../../protocol/resources/resources.ts";
import type { Service } from "../wire/service.ts";
import type { Topic } from "../wire/topic.ts";
import { BrokerTables, type KnownClient, type KnownService, type KnownTopic, type TableObserver } from "./broker-tables.ts";
import type { ClientIds } from "./client-ids.ts";
import { clientResource, serviceResource, topicResource } from "./resources.ts";
import { isWild, Subscriptions } from "./subscriptions.ts";
import { TopicConflicts } from "./topic-conflicts.ts";

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
  /** Resources as published last: an upsert is sent only if something has changed. */
  readonly #published = { clients: new Map<number, string>(), topics: new Map<string, Topic>(), services: new Map<string, string>() };
  readonly #dirty = { clients: new Set<KnownClient>(), topics: new Set<string>(), services: new Set<string>() };
  #arrivals = 0;

  constructor(options: DataPlaneTablesOptions) {
    this.#options = options;
    const { log, lose } = options;
    this.#conflicts = new TopicConflicts({ log, lose, publisherOf: (topic) => this.#nameWithHost(topic) });
  }

  clients(): Client[] {
    return [...this.#clients.values()].map((client) => this.#client(client));
  }

  topics(): Topic[] {
    return [...this.#published.topics.values()];
  }

  /** Services by name, because answers of services arrive in any order. */
  services(): Service[] {
    const names = [...this.#services.keys()].sort();
    return names.flatMap((name) =>
      this.instances(name)
        .slice(0, 1)
        .map((first) => this.#service(first)),
    );
  }

  client(id: number): KnownClient | undefined {
    return this.#clients.get(id);
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

  clientChanged(client: KnownClient, before: ClientRecord | null): void {
    this.#clients.set(client.id, client);
    this.#dirty.clients.add(client);
    for (const subject of this.#subscriptions.update(client)) this.#touchTopics(subject);
    if (before !== null && before.name === client.record.name) return;
    // The client's name is part of its topics and services.
    for (const { record } of client.broker.topics.values())
      if (record.connection === client.record.connection) this.#dirty.topics.add(record.subject);
    for (const { record } of client.broker.services.values())
      if (record.connection === client.record.connection) this.#dirty.services.add(record.name);
  }

  clientGone(client: KnownClient): void {
    this.#clients.delete(client.id);
    this.#dirty.clients.add(client);
    for (const subject of this.#subscriptions.drop(client)) this.#touchTopics(subject);
  }

  topicChanged(topic: KnownTopic, before: TopicRecord | null): void {
    const { subject } = topic.record;
    const known = this.#topics.get(subject) ?? new Set();
    this.#topics.set(subject, known.add(topic));
    this.#dirty.topics.add(subject);
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
    this.#dirty.topics.add(subject);
    this.#touchOwner(topic);
    this.#touchWild();
  }

  serviceChanged(service: KnownService, before: ServiceRecord | null): void {
    if (before !== null && before.name !== service.record.name) this.#removeService(before.name, service);
    const { name } = service.record;
    this.#services.set(name, (this.#services.get(name) ?? new Set()).add(service));
    this.#dirty.services.add(name);
    this.#touchOwner(service);
  }

  serviceGone(service: KnownService): void {
    this.#removeService(service.record.name, service);
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

  #touchWild(): void {
    for (const client of this.#subscriptions.wild) this.#dirty.clients.add(client);
  }

  /** Marks topics whose number of subscribers may have changed. */
  #touchTopics(subject: string): void {
    if (!isWild(subject)) this.#dirty.topics.add(subject);
    else for (const known of this.#topics.keys()) this.#dirty.topics.add(known);
  }

  /** Publishes changes: topics before clients, whose lists name them. */
  #publish(): void {
    const { events } = this.#options;
    const { clients, topics, services } = this.#dirty;
    for (const subject of topics) this.#publishTopic(subject);
    topics.clear();
    this.#conflicts.send();
    for (const name of services) {
      const [first] = this.#services.get(name) ?? [];
      if (first === undefined) {
        if (this.#published.services.delete(name)) events.publish({ type: "service_remove", name });
        continue;
      }
      const service = this.#service(first);
      if (isNews(this.#published.services, name, service)) events.publish({ type: "service_upsert", service });
    }
    services.clear();
    for (const known of clients) {
      if (!this.#clients.has(known.id)) {
        if (this.#published.clients.delete(known.id)) events.publish({ type: "client_remove", id: known.id });
        continue;
      }
      const client = this.#client(known);
      if (isNews(this.#published.clients, known.id, client)) events.publish({ type: "client_upsert", client });
    }
    clients.clear();
  }

  #publishTopic(subject: string): void {
    const { events } = this.#options;
    const published = this.#published.topics.get(subject);
    const topic = this.topic(subject)?.resource;
    if (topic === undefined) {
      if (published === undefined) return;
      this.#published.topics.delete(subject);
      events.publish({ type: "topic_remove", name: published.name });
      return;
    }
    if (published !== undefined && Object.entries(topic).every(([key, value]) => published[key as keyof Topic] === value)) return;
    this.#published.topics.set(subject, topic);
    events.publish({ type: "topic_upsert", topic });
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
    return topicResource(topic, { publisher, host, problem, subscribers: this.#subscriptions.to(topic.record.subject).length });
  }

  #nameWithHost(topic: KnownTopic): string {
    const client = topic.broker.owner(topic.record);
    return client === undefined ? "another client" : `client '${client.record.name}' of host '${this.hostOf(client)}'`;
  }
}

/** Whether the resource differs from the one published last, which it replaces. */
function isNews<K>(published: Map<K, string>, key: K, resource: object): boolean {
  const text = JSON.stringify(resource);
  if (published.get(key) === text) return false;
  published.set(key, text);
  return true;
}
