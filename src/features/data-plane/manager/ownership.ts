import type { SubjectOwners } from "../../../app/bus/user-permissions.ts";
import type { Owners } from "../../../base/access/access.ts";
import { subjectOfTopic } from "../../../base/topics/topic-subject.ts";
import { SubscriptionTree } from "../../../bus/broker/broker-subscriptions.ts";
import type { Client } from "../../../protocol/resources/resources.ts";
import type { KnownClient, KnownService, KnownTopic } from "./broker-tables.ts";
import { isSeen, type Sight } from "./granted-changes.ts";
import { isServable } from "./service-calls.ts";

/** The process to which a client belongs. */
export function ownersOfClient(client: KnownClient | undefined): Owners {
  const process = client?.record.process_name ?? "";
  return process === "" ? null : [process];
}

/** The processes that publish a topic, on all brokers. */
function ownersOfTopic(topics: Iterable<KnownTopic>): Owners {
  const processes = new Set<string>();
  for (const { broker, record } of topics) {
    // Nothing is known of the clients of a nats-server.
    if (record.foreign) return null;
    for (const process of [broker.owner(record)?.record.process_name ?? "", ...record.others]) processes.add(process);
  }
  return processes.size === 0 || processes.has("") ? null : [...processes];
}

/** The processes that provide instances of a service. */
function ownersOfInstances(instances: Iterable<KnownService>): Owners {
  const processes = new Set<string>();
  for (const { broker, record } of instances) processes.add(broker.owner(record)?.record.process_name ?? "");
  return processes.size === 0 || processes.has("") ? null : [...processes];
}

export function isSameOwners(one: Owners, other: Owners): boolean {
  if (one === null || other === null) return one === other;
  return one.length === other.length && one.every((name) => other.includes(name));
}

interface Endpoint {
  readonly service: KnownService;
  readonly subject: string;
  readonly queue: null;
}

/** Instances of services by the subjects of their endpoints, which may hold wildcards. */
class EndpointSubjects {
  readonly #tree = new SubscriptionTree<Endpoint>();
  readonly #endpoints = new Map<KnownService, readonly Endpoint[]>();

  update(service: KnownService): void {
    this.remove(service);
    const endpoints = service.record.endpoints.map(({ subject }) => ({ service, subject, queue: null }));
    for (const endpoint of endpoints) this.#tree.insert(endpoint);
    this.#endpoints.set(service, endpoints);
  }

  remove(service: KnownService): void {
    for (const endpoint of this.#endpoints.get(service) ?? []) this.#tree.remove(endpoint);
    this.#endpoints.delete(service);
  }

  /** The processes that answer requests to this subject as services. */
  ownersAt(subject: string): Owners {
    if (!isServable(subject)) return null;
    return ownersOfInstances(Array.from(this.#tree.match(subject).plain(), ({ service }) => service));
  }
}

interface Tables {
  readonly topics: ReadonlyMap<string, ReadonlySet<KnownTopic>>;
  readonly services: ReadonlyMap<string, ReadonlySet<KnownService>>;
}

/** The processes to which the topics and services of all brokers belong. Several have to be in view all, for who may see the object. */
export class Ownership implements SubjectOwners {
  readonly #tables: Tables;
  readonly #endpoints = new EndpointSubjects();
  /** Owners of topics, until an owner changes. */
  readonly #publishers = new Map<string, Owners>();
  #version = 0;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  get version(): number {
    return this.#version;
  }

  changed(): void {
    this.#version++;
    this.#publishers.clear();
  }

  serviceChanged(service: KnownService): void {
    this.#endpoints.update(service);
    this.changed();
  }

  serviceGone(service: KnownService): void {
    this.#endpoints.remove(service);
    this.changed();
  }

  publishersAt(subject: string): Owners {
    const known = this.#publishers.get(subject);
    if (known !== undefined) return known;
    const topics = this.#tables.topics.get(subject);
    if (topics === undefined) return null;
    const owners = ownersOfTopic(topics);
    this.#publishers.set(subject, owners);
    return owners;
  }

  providersAt(subject: string): Owners {
    return this.#endpoints.ownersAt(subject);
  }

  /** The processes that provide a service. */
  providersOf(name: string): Owners {
    return ownersOfInstances(this.#tables.services.get(name) ?? []);
  }

  /** A client with the names of those topics and services that are seen. */
  shownClient(client: Client, grants: Sight): Client {
    if (grants === null) return client;
    const ofTopics = (names: readonly string[]) => names.filter((name) => isSeen(grants, this.publishersAt(subjectOfTopic(name))));
    return {
      ...client,
      published_topics: ofTopics(client.published_topics),
      subscribed_topics: ofTopics(client.subscribed_topics),
      provided_services: client.provided_services.filter((name) => isSeen(grants, this.providersOf(name))),
    };
  }
}
