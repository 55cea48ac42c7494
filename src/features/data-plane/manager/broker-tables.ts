import type { ClientRecord, RegistryChange, ServiceRecord, TopicRecord } from "../../../contract/registry.ts";
import type { ClientIds } from "./client-ids.ts";

/** A client of any broker. */
export interface KnownClient {
  readonly id: number;
  readonly broker: BrokerTables;
  record: ClientRecord;
}

/** A topic at one broker. */
export interface KnownTopic {
  readonly broker: BrokerTables;
  record: TopicRecord;
  /** Number that grows with each publisher that appears. */
  arrival: number;
}

export interface KnownService {
  readonly broker: BrokerTables;
  record: ServiceRecord;
}

/** Receives the changes of the tables of all brokers. */
export interface TableObserver {
  clientChanged(client: KnownClient, before: ClientRecord | null): void;
  clientGone(client: KnownClient): void;
  topicChanged(topic: KnownTopic, before: TopicRecord | null): void;
  topicGone(topic: KnownTopic): void;
  serviceChanged(service: KnownService, before: ServiceRecord | null): void;
  serviceGone(service: KnownService): void;
}

interface BrokerTablesOptions {
  /** Canonical name of the host; null: the manager's broker, whose clients may be on any machine. */
  readonly host: string | null;
  readonly ids: ClientIds;
  /** Numbers publishers in the order of their arrival, across all brokers. */
  readonly arrive: () => number;
  readonly observer: TableObserver;
}

/** Clients, topics and services of one broker as it last reported them. */
export class BrokerTables {
  readonly host: string | null;
  /** False: the tables may be out of date. */
  isReachable = true;
  readonly clients = new Map<number, KnownClient>();
  readonly topics = new Map<string, KnownTopic>();
  readonly services = new Map<string, KnownService>();
  readonly #ids: ClientIds;
  readonly #arrive: () => number;
  readonly #observer: TableObserver;
  /** Id of the daemon process that reported the tables. */
  #life = "";

  constructor({ host, ids, arrive, observer }: BrokerTablesOptions) {
    this.host = host;
    this.#ids = ids;
    this.#arrive = arrive;
    this.#observer = observer;
  }

  /** The client that publishes a topic or provides a service. */
  owner({ connection }: { connection: number }): KnownClient | undefined {
    return this.clients.get(connection);
  }

  apply(changes: readonly RegistryChange[]): void {
    for (const change of changes) this.#apply(change);
  }

  /** Replaces the tables by those of the daemon with this `life`; rows that are missing from them are removed. */
  replace(life: string, rows: readonly RegistryChange[]): void {
    // Another daemon numbers its connections from the beginning.
    if (life !== this.#life) this.clear();
    this.#life = life;
    const kept = new Set(rows.map(keyOf));
    for (const key of [...this.services.keys()]) if (!kept.has(key)) this.#serviceGone(key);
    for (const { record } of [...this.topics.values()]) if (!kept.has(`topic ${record.subject}`)) this.#topicGone(record.subject);
    for (const { record } of [...this.clients.values()]) if (!kept.has(`client ${record.connection}`)) this.#clientGone(record.connection);
    this.apply(rows);
  }

  clear(): void {
    for (const key of [...this.services.keys()]) this.#serviceGone(key);
    for (const subject of [...this.topics.keys()]) this.#topicGone(subject);
    for (const connection of [...this.clients.keys()]) this.#clientGone(connection);
  }

  #apply(change: RegistryChange): void {
    switch (change.kind) {
      case "client":
        this.#client(change.client);
        break;
      case "client_gone":
        this.#clientGone(change.connection);
        break;
      case "topic":
        this.#topic(change.topic);
        break;
      case "topic_gone":
        this.#topicGone(change.subject);
        break;
      case "service":
        this.#service(change.service);
        break;
      case "service_gone":
        this.#serviceGone(serviceKey(change));
        break;
      case "counters":
        this.#counters(change);
    }
  }

  #client(record: ClientRecord): void {
    const known = this.clients.get(record.connection);
    const before = known?.record ?? null;
    const client = known ?? { id: this.#ids.next(), broker: this, record };
    client.record = record;
    this.clients.set(record.connection, client);
    this.#observer.clientChanged(client, before);
  }

  #clientGone(connection: number): void {
    const client = this.clients.get(connection);
    if (client === undefined) return;
    this.clients.delete(connection);
    this.#observer.clientGone(client);
  }

  #topic(record: TopicRecord): void {
    const known = this.topics.get(record.subject);
    const before = known?.record ?? null;
    const topic = known ?? { broker: this, record, arrival: 0 };
    if (before?.connection !== record.connection) topic.arrival = this.#arrive();
    topic.record = record;
    this.topics.set(record.subject, topic);
    this.#observer.topicChanged(topic, before);
  }

  #topicGone(subject: string): void {
    const topic = this.topics.get(subject);
    if (topic === undefined) return;
    this.topics.delete(subject);
    this.#observer.topicGone(topic);
  }

  #service(record: ServiceRecord): void {
    const key = serviceKey(record);
    const known = this.services.get(key);
    const before = known?.record ?? null;
    const service = known ?? { broker: this, record };
    service.record = record;
    this.services.set(key, service);
    this.#observer.serviceChanged(service, before);
  }

  #serviceGone(key: string): void {
    const service = this.services.get(key);
    if (service === undefined) return;
    this.services.delete(key);
    this.#observer.serviceGone(service);
  }

  #counters({ subject, counters }: Extract<RegistryChange, { kind: "counters" }>): void {
    const topic = this.topics.get(subject);
    if (topic === undefined) return;
    const before = topic.record;
    topic.record = { ...before, counters };
    this.#observer.topicChanged(topic, before);
  }
}

function serviceKey({ connection, id }: { connection: number; id: string }): string {
  return `service ${connection} ${id}`;
}

function keyOf(change: RegistryChange): string {
  switch (change.kind) {
    case "client":
      return `client ${change.client.connection}`;
    case "topic":
      return `topic ${change.topic.subject}`;
    case "service":
      return serviceKey(change.service);
    default:
      return "";
  }
}
