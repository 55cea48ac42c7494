import type { Grant, Owners } from "../../../base/access/access.ts";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { Publisher } from "../../../base/publisher.ts";
import { untilWithin } from "../../../base/timing/wait.ts";
import { subjectOfTopic, topicNameProblem } from "../../../base/topics/topic-subject.ts";
import type { Bus } from "../../../bus/client/bus.ts";
import type { ChangeFrame } from "../../../protocol/frames/frames.ts";
import type { Client } from "../../../protocol/resources/resources.ts";
import type { Service } from "../wire/service.ts";
import type { Topic } from "../wire/topic.ts";
import type { KnownClient } from "./broker-tables.ts";
import type {
  DataObject,
  DataPlane,
  FoundParameters,
  NamedParameter,
  OverrideChange,
  PublishedTopic,
  ServiceCall,
  TopicDetail,
  TopicMessage,
  TopicRequest,
  TopicSample,
  TopicsStat,
  TopicTrace,
  TraceRequest,
} from "./data-plane.ts";
import { DataPlaneFeeds, type DataPlaneFeedsOptions } from "./data-plane-feeds.ts";
import type { DataPlaneTables } from "./data-plane-tables.ts";
import { isSeen, type Sight } from "./granted-changes.ts";
import { ownersOfClient } from "./ownership.ts";
import { Parameters } from "./parameters.ts";
import { callEndpoint } from "./service-calls.ts";
import { Oscilloscope } from "./topics/oscilloscope.ts";
import { TopicPublishing } from "./topics/topic-publishing.ts";
import { TopicSampler } from "./topics/topic-sampler.ts";
import { measureTopics } from "./topics/topic-stat.ts";
import { type TopicTraceOptions, TopicTraces, type TraceSource } from "./trace/topic-trace.ts";

/** Time-out of a call of a service, milliseconds. */
const CALL_TIMEOUT_MS = 10_000;
/** Maximum time that the details of a topic wait for a sample, milliseconds: topics with `keep_last` deliver one at once. */
const LAST_SAMPLE_MS = 500;
const DETAIL_RATE = 60;

export interface ManagerDataPlaneOptions extends DataPlaneFeedsOptions {
  /** The bus of remote hosts and clients; null: there is none. */
  readonly bus: Promise<Bus> | null;
  /** Opens a connection to the bus with the rights of a user; null: there is no bus. */
  readonly connectUser: ((user: string) => Promise<Bus>) | null;
  /** The manager's own broker; null: there is none, or a nats-server carries what crosses hosts. */
  readonly hub: TopicTraceOptions["hub"];
  /** `instance.scope_process` of the present configuration. */
  readonly oscilloscopeProcess: () => string | null;
  readonly startProcess: (name: string, by: string) => void | Promise<void>;
}

/** A call of a service or a change of a parameter by a user. */
export interface DataPlaneUse {
  readonly kind: "services" | "parameters";
  readonly value: unknown;
}

export interface TopicPrograms {
  readonly publisher: KnownClient | undefined;
  readonly subscribers: readonly KnownClient[];
}

/** Requests of the manager's clients about the programs on the bus. */
export class ManagerDataPlane implements DataPlane {
  readonly #options: ManagerDataPlaneOptions;
  readonly #feeds: DataPlaneFeeds;
  readonly #sampler: TopicSampler;
  readonly #parameters: Parameters;
  readonly #oscilloscope: Oscilloscope;
  readonly #publishing: TopicPublishing;
  readonly #traces: TopicTraces;
  readonly #traceSources = new Set<TraceSource>();
  readonly #end = new AbortController();
  /** Publishes each call of a service and each change of a parameter by a user. */
  readonly uses = new Publisher<DataPlaneUse>((error) => this.#options.log.error(`a listener failed: ${messageOf(error)}`));

  constructor(options: ManagerDataPlaneOptions) {
    this.#options = options;
    const { bus, clock, events, log, oscilloscopeProcess, startProcess } = options;
    this.#feeds = new DataPlaneFeeds(options);
    const { tables } = this.#feeds;
    this.#sampler = new TopicSampler({
      clock,
      bus,
      record: (subject) => tables.topic(subject)?.known.record,
      publishers: (subject) => tables.owners.publishersAt(subject),
    });
    this.#parameters = new Parameters(tables, bus);
    this.#publishing = new TopicPublishing({ tables, clock, log, connect: options.connectUser });
    this.#traces = new TopicTraces({ tables, hosts: options.hosts, clock, hub: options.hub, sources: this.#traceSources });
    this.#oscilloscope = new Oscilloscope({ tables, bus, clock, events, process: oscilloscopeProcess, start: startProcess });
  }

  get tables(): DataPlaneTables {
    return this.#feeds.tables;
  }

  clients(grants: Sight = null): Client[] {
    return this.#feeds.tables.clients(grants);
  }

  topics(grants: Sight = null): Topic[] {
    return this.#feeds.tables.topics(grants);
  }

  services(grants: Sight = null): Service[] {
    return this.#feeds.tables.services(grants);
  }

  ownersOf(object: DataObject): Owners {
    const { owners } = this.tables;
    if ("topic" in object) return topicNameProblem(object.topic) === null ? owners.publishersAt(subjectOfTopic(object.topic)) : null;
    if ("service" in object) return ownersOfClient(this.tables.client(object.provider_id));
    const [instance] = this.tables.instances(object.name);
    const subject = instance?.record.endpoints.find(({ name }) => name === object.endpoint)?.subject;
    const ofService = owners.providersOf(object.name);
    if (subject === undefined || ofService === null) return ofService;
    // Other services may answer to the same subject.
    const ofSubject = owners.providersAt(subject);
    return ofSubject && [...ofService, ...ofSubject];
  }

  changeFor(change: ChangeFrame, grants: readonly Grant[]): readonly ChangeFrame[] {
    return this.tables.changeFor(change, grants);
  }

  topicsStat(seconds: number, grants: Sight = null): Promise<TopicsStat> {
    const { tables } = this.#feeds;
    const read = () =>
      tables.topics(grants).flatMap(({ name }) => {
        const record = tables.topic(subjectOfTopic(name))?.known.record;
        return record === undefined ? [] : [{ name, counters: record.counters }];
      });
    return measureTopics(seconds, this.#options.clock, read, this.#end.signal);
  }

  async topicDetail(name: string, grants: Sight = null): Promise<TopicDetail> {
    const last = await this.#lastSample(this.#topic(name).resource.name, grants);
    // The topic as it is after the wait for the sample.
    const { resource, known, publisher, subscribers } = this.#topic(name);
    if (!isSeen(grants, this.ownersOf({ topic: name }))) throw new MgrError("not_found", `there is no topic '${name}' any more`);
    const seen = subscribers.filter((client) => isSeen(grants, ownersOfClient(client)));
    const { definition, encoding, keep_last, priority, max_age_ms, reliable_within, counters } = known.record;
    return {
      topic: resource,
      publisher: publisher ? this.#endpoint(publisher) : null,
      subscribers: seen.map((client) => this.#endpoint(client)),
      definition,
      encoding,
      keep_last,
      priority,
      max_age_ms,
      reliable_within,
      kept_dropped: counters.kept_dropped,
      last_sample: last && { ts: last.ts, value: last.value },
    };
  }

  traceTopic(request: TraceRequest, grants: Sight = null): Promise<TopicTrace> {
    return this.#traces.trace(request, grants, this.#end.signal);
  }

  /** Adds steps of another feature to the path of topics. */
  addTraceSource(source: TraceSource): void {
    this.#traceSources.add(source);
  }

  /** The programs behind a topic. Throws `not_found`. */
  topicPrograms(name: string): TopicPrograms {
    return this.#topic(name);
  }

  publishTopic(message: TopicMessage, by: string): Promise<PublishedTopic> {
    return this.#publishing.publish(message, by);
  }

  async callService({ name, endpoint, request }: ServiceCall, by: string): Promise<unknown> {
    const [service] = this.#feeds.tables.instances(name);
    if (service === undefined) throw new MgrError("not_found", `there is no service '${name}'`);
    const answer = await callEndpoint(this.#options.bus, service, { endpoint, request, timeoutMs: CALL_TIMEOUT_MS });
    this.uses.publish({ kind: "services", value: { service: name, endpoint, request, response: answer, by } });
    this.#options.log.info(`'${by}' called '${endpoint}' of service '${name}'`, this.tables.owners.providersOf(name) ?? []);
    return answer;
  }

  parameters(pattern: string, grants: Sight = null): Promise<FoundParameters> {
    return this.#parameters.find(pattern, (client) => isSeen(grants, ownersOfClient(client)));
  }

  async setOverride(change: OverrideChange, by: string): Promise<{ enabled: boolean; value: string }> {
    const now = await this.#parameters.override(change);
    this.uses.publish({ kind: "parameters", value: { ...change, ...now, by } });
    const what = now.enabled ? `to '${now.value}'` : "off";
    this.#options.log.info(
      `'${by}' set the override of parameter '${change.parameter}' of '${change.service}' ${what}`,
      this.ownersOf(change) ?? [],
    );
    return now;
  }

  async openScope(parameter: NamedParameter, by: string): Promise<{ topic: string; process: string }> {
    const topic = await this.#parameters.topicOf(parameter);
    return { topic, process: await this.#oscilloscope.open(`${topic}.output`, by) };
  }

  followTopic(name: string, { maxRate, receive, fields = [], grants = null }: TopicRequest): () => void {
    return this.#sampler.follow(name, { maxRate, fields, receive, maySee: (publishers) => isSeen(grants, publishers) });
  }

  close(): void {
    this.#end.abort(new MgrError("shutting_down", "the manager is shutting down"));
    this.#sampler.close();
    this.#publishing.close();
    this.#feeds.close();
  }

  hostOf(client: KnownClient): string {
    return this.#feeds.tables.hostOf(client);
  }

  #topic(name: string) {
    const { tables } = this.#feeds;
    const subject = topicNameProblem(name) === null ? subjectOfTopic(name) : null;
    const topic = subject === null ? null : tables.topic(subject);
    if (subject === null || topic === null) throw new MgrError("not_found", `there is no topic '${name}'`);
    return { ...topic, subscribers: tables.subscribers(subject) };
  }

  /** The client's end of a topic. */
  #endpoint(client: KnownClient) {
    return { client_id: client.id, client: client.record.name, host: this.hostOf(client) };
  }

  /** The newest sample, or the next one; null if none arrives in time. */
  async #lastSample(name: string, grants: Sight): Promise<TopicSample | null> {
    const samples: TopicSample[] = [];
    const subscribe = (check: () => void) =>
      this.followTopic(name, {
        maxRate: DETAIL_RATE,
        grants,
        receive: (sample) => {
          samples.push(sample);
          check();
        },
      });
    await untilWithin(() => samples.length > 0, subscribe, { forMs: LAST_SAMPLE_MS, clock: this.#options.clock });
    return samples[0] ?? null;
  }
}
