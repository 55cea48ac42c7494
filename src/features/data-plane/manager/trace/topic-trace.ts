import type { HostTable } from "../../../../app/hosts/host-table.ts";
import { messageOf } from "../../../../base/errors.ts";
import { type Clock, pause } from "../../../../base/timing/clock.ts";
import { subjectOfTopic, topicOfSubject } from "../../../../base/topics/topic-subject.ts";
import type { Broker } from "../../../../bus/broker/broker.ts";
import type { Registry } from "../../../../bus/registry/registry.ts";
import type { TraceStep } from "../../wire/topic-trace.ts";
import type { KnownClient } from "../broker-tables.ts";
import type { TopicTrace, TraceRequest } from "../data-plane.ts";
import type { DataPlaneTables } from "../data-plane-tables.ts";
import { isSeen, type Sight } from "../granted-changes.ts";
import { ownersOfClient } from "../ownership.ts";
import type { BrokerSpan, Reading } from "./broker-readings.ts";
import { type TracedBroker, type TracedPublisher, type TracedSubscriber, walk } from "./walk.ts";

/** Length of the measurement, milliseconds: brokers note twice in it whether a topic is published. */
const MEASUREMENT_MS = 1_100;

/** `host`: that of the publisher; null: it has none, or it publishes at the manager's broker. */
export type TraceSource = (topic: string, host: string | null) => Promise<readonly TraceStep[]>;

export interface TopicTraceOptions {
  readonly tables: DataPlaneTables;
  readonly hosts: Pick<HostTable, "session" | "keys">;
  readonly clock: Clock;
  /** Further steps of a topic, such as places that keep its messages; each follows the broker of its host. Never rejects. */
  readonly sources: ReadonlySet<TraceSource>;
  /** The manager's own broker; null: there is none, or a nats-server carries what crosses hosts. */
  readonly hub: () => { readonly broker: Pick<Broker, "trace">; readonly registry: Pick<Registry, "quietFor"> } | null;
}

/** Traces the path of topics through the brokers of all hosts. */
export class TopicTraces {
  readonly #options: TopicTraceOptions;

  constructor(options: TopicTraceOptions) {
    this.#options = options;
  }

  /** Measures for about a second. Throws `bad_field` for a name that no topic can have. */
  async trace(
    { name, to = null }: { name: TraceRequest["name"]; to?: string | null },
    grants: Sight,
    signal: AbortSignal,
  ): Promise<TopicTrace> {
    const { tables, clock } = this.#options;
    const hub = this.#options.hub();
    const subject = subjectOfTopic(name);
    const seen = tables.clients(grants).flatMap(({ id }) => tables.client(id) ?? []);
    const named = to === null ? tables.subscribers(subject).filter((client) => isSeen(grants, ownersOfClient(client))) : called(seen, to);
    const known = tables.topic(subject);
    const brokers = new Set([...(known === null ? [] : [known.known.broker.host]), ...named.map(({ broker }) => broker.host), null]);
    const began = clock.monotonic();
    const before = await this.#read(brokers, subject);
    const further = Promise.all([...this.#options.sources].map((source) => source(name, known?.known.broker.host ?? null)));
    await pause(clock, MEASUREMENT_MS, signal);
    const after = await this.#read(brokers, subject);
    const seconds = (clock.monotonic() - began) / 1_000;
    const broker = (host: string | null): TracedBroker => ({ host, span: spanOf(before.get(host), after.get(host), seconds) });
    // It may have ended, or begun, meanwhile.
    const topic = tables.topic(subject);
    const about = {
      topic: name,
      to,
      publisher: topic === null ? null : this.#publisher(topic, broker),
      hub: hub === null ? null : broker(null),
      subscribed: [...new Set(seen.flatMap(subscribedTopics))],
      topics: tables.topics(grants).map((each) => each.name),
      clients: [...new Set(seen.flatMap(({ record }) => [record.name, record.process_name]).filter((each) => each !== ""))],
      away: [...this.#options.hosts.keys()].filter((host) => !this.#isReachable(host)),
    };
    const ways = named.map((client) => walk({ ...about, subscriber: this.#subscriber(client, broker) }));
    const way = ways.find((each) => wrongOf(each) !== null) ?? ways[0] ?? walk({ ...about, subscriber: null });
    const steps = (await further).flat().reduce(inserted, way);
    return { steps, wrong: wrongOf(steps) };
  }

  #publisher(
    { resource, known, publisher }: NonNullable<ReturnType<DataPlaneTables["topic"]>>,
    broker: (host: string | null) => TracedBroker,
  ): TracedPublisher {
    const { record } = known;
    // The problem of a topic names that of its definition, too, which is no conflict.
    const conflict = record.definition_problem !== null && resource.problem?.endsWith(record.definition_problem) ? null : resource.problem;
    return {
      client: publisher?.record.name ?? "-",
      host: resource.publisher_host,
      broker: broker(known.broker.host),
      record,
      conflict,
      limits: resource.limits,
    };
  }

  #subscriber(client: KnownClient, broker: (host: string | null) => TracedBroker): TracedSubscriber {
    const { record } = client;
    const topics = subscribedTopics(client);
    return {
      client: record.name,
      host: this.#options.tables.hostOf(client),
      broker: broker(client.broker.host),
      connection: record.connection,
      topics,
    };
  }

  #isReachable(host: string): boolean {
    return this.#options.hosts.session(host)?.isOpen ?? false;
  }

  /** Readings by broker; a text: why there is none. */
  async #read(brokers: ReadonlySet<string | null>, subject: string): Promise<Map<string | null, Reading | string>> {
    const read = async (host: string | null): Promise<Reading | string> => {
      const { hosts } = this.#options;
      if (host === null) {
        const hub = this.#options.hub();
        if (hub === null) return "a nats-server is in its place";
        return { trace: hub.broker.trace(subject), quietMs: hub.registry.quietFor(subject) };
      }
      const session = hosts.session(host);
      if (!session?.isOpen) return "its daemon is not connected";
      try {
        const { trace, quiet_ms } = await session.command((id) => session.link.request("trace_topic", { session: id, subject }));
        return { trace, quietMs: quiet_ms };
      } catch (error) {
        return messageOf(error);
      }
    };
    return new Map(await Promise.all([...brokers].map(async (host) => [host, await read(host)] as const)));
  }
}

const subscribedTopics = ({ record }: KnownClient): string[] => record.subscriptions.flatMap((each) => topicOfSubject(each) ?? []);

/** Clients with this name, or else those of a process with it. */
function called(clients: readonly KnownClient[], name: string): KnownClient[] {
  const named = clients.filter(({ record }) => record.name === name);
  return named.length > 0 ? named : clients.filter(({ record }) => record.process_name === name);
}

function spanOf(before: Reading | string | undefined, after: Reading | string | undefined, seconds: number): BrokerSpan | string {
  if (typeof after === "string") return after;
  if (before === undefined || after === undefined) return "it appeared during the measurement";
  if (typeof before === "string") return before;
  return { before: before.trace, after: after.trace, quietMs: after.quietMs, seconds };
}

/** The steps with a further one behind the broker of its host, or else behind the publisher. */
function inserted(steps: readonly TraceStep[], further: TraceStep): TraceStep[] {
  const broker = steps.findIndex(({ kind, host }) => kind === "broker" && host === further.host);
  return steps.toSpliced(Math.max(0, broker) + 1, 0, further);
}

function wrongOf(steps: readonly TraceStep[]): number | null {
  const index = steps.findIndex(({ problem }) => problem !== null);
  return index < 0 ? null : index;
}
