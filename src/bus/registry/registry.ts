import type { HandedOver } from "../../base/handed-over.ts";
import type { WarningLog } from "../../base/throttled-warning.ts";
import { everyBeat } from "../../base/timing/clock.ts";
import { TOPIC_PREFIX } from "../../base/topics/topic-subject.ts";
import { COUNTERS_MS, REGISTER_SUBJECT, type RegistryChange, type RegistryTables } from "../../contract/registry.ts";
import type { BorrowedMessage } from "../broker/borrowed-message.ts";
import type { BrokerAccess, BrokerHooks, HookedClient, Refusal } from "../broker/broker-hooks.ts";
import { readableText } from "../broker/broker-protocol.ts";
import type { ClientSubscription } from "../broker/broker-subscriber.ts";
import type { Envelope } from "../broker/parser/broker-operations.ts";
import type { TopicPolicy } from "../broker/queues/topic-policy.ts";
import { ChangeCollector } from "./change-collector.ts";
import type { CheckDefinition } from "./definition-checks.ts";
import { KeptDeliveries } from "./kept-deliveries.ts";
import { KeptRequests } from "./kept-requests.ts";
import { Member, nameWithoutRegistration } from "./member.ts";
import { Registrations } from "./registrations.ts";
import { KEPT, type RegistryState, registryState } from "./registry-state.ts";
import { ServiceTable } from "./service-table.ts";
import type { TopicEntry, TopicSink } from "./topic-entry.ts";
import { TopicTable } from "./topic-table.ts";

/** First characters of the subjects that the registry handles, so that all other subjects cost one comparison. */
const TOPIC = TOPIC_PREFIX.charCodeAt(0);
const MGR = REGISTER_SUBJECT.charCodeAt(0);
const INBOX = "_".charCodeAt(0);

export interface RegistryOptions {
  /** Canonical name of the broker's host. */
  readonly host: string;
  /** Whether clients reach the broker of their host, or the manager's. */
  readonly server: "leaf" | "hub";
  /** TCP port and unix socket of the broker. */
  readonly place: () => { readonly port: number; readonly unix_socket: string | null };
  readonly log: WarningLog;
  /** Loads the check of definitions; left out: definitions are not checked. */
  readonly checkDefinition?: () => Promise<CheckDefinition>;
}

/**
 * Clients, topics and services of one broker: connections, reservations of topics, counters. Pass it to `createBroker` as `hooks`.
 * Connections without an identity (hosts, the manager's own) are not shown as clients.
 */
export class Registry implements BrokerHooks {
  readonly #options: RegistryOptions;
  readonly #members = new Map<HookedClient, Member>();
  readonly #topics: TopicTable;
  readonly #registrations: Registrations;
  #access: BrokerAccess | null = null;
  #kept: KeptRequests | null = null;
  readonly #services: ServiceTable;
  readonly #deliveries = new KeptDeliveries();
  readonly #changes: ChangeCollector;
  /** Ends the ticks; null while there are no topics. */
  #endTicks: (() => void) | null = null;
  /** Counters of each topic, as reported last. */
  readonly #reported = new Map<string, string>();

  constructor(options: RegistryOptions) {
    this.#options = options;
    const nameOf = (client: HookedClient) => this.#nameOf(client);
    this.#changes = new ChangeCollector(options.log);
    this.#topics = new TopicTable({
      nameOf,
      changed: (entry) => this.#topicChanged(entry),
      gone: (subject) => this.#topicGone(subject),
      memory: () => this.#opened().memory,
      waiting: (publisher, subject) => this.#opened().router.waiting(publisher, subject),
    });
    this.#registrations = new Registrations({
      ...options,
      members: this.#members,
      topics: this.#topics,
      registered: (client) => this.#noteClient(client),
      spend: (units) => this.#access?.spend(units),
    });
    this.#services = new ServiceTable({
      nameOf,
      endpointOf: ({ accepted: { kind } }) => {
        const { port, unix_socket } = options.place();
        return kind === "unix" ? { port: 0, unix_socket } : { port, unix_socket: null };
      },
      changed: (service) => this.#changes.note(serviceKey(service.connection, service.id), () => ({ kind: "service", service })),
      gone: (connection, id) => this.#changes.note(serviceKey(connection, id), () => ({ kind: "service_gone", connection, id })),
    });
  }

  /** The current tables. Later changes may repeat their content, which is harmless. */
  tables(): RegistryTables {
    return {
      clients: [...this.#members.values()].map(({ record }) => record),
      topics: [...this.#topics.entries()].map((entry) => this.#topicRecord(entry)),
      services: [...this.#services.records()],
    };
  }

  /** Calls `listener` with changes, several at a time. Returns a function that unsubscribes. */
  listen(listener: (changes: readonly RegistryChange[]) => void): () => void {
    return this.#changes.listen(listener);
  }

  /** Reports the collected changes now. */
  flush(): void {
    this.#changes.flush();
  }

  /** Sets the topics that a client of another host published first: subject and reason. Always the whole list. */
  loseTopics(topics: ReadonlyMap<string, string>): void {
    this.#topics.lose(topics);
  }

  opened(access: BrokerAccess): void {
    this.#access = access;
    this.#kept = new KeptRequests(access, () => this.#topics.published());
  }

  #opened(): BrokerAccess {
    if (this.#access === null) throw new Error("the registry has no broker yet");
    return this.#access;
  }

  /** Requests messages that were published while the link was down. */
  linked(): void {
    for (const { subscriptions } of this.#members.values()) for (const subscription of subscriptions) this.#askForLast(subscription);
  }

  arrived(subject: string, isChecked: boolean): void {
    if (subject.charCodeAt(0) !== TOPIC) return;
    this.#kept?.arrived(subject);
    if (!isChecked) this.#topics.get(subject)?.foreign.see();
  }

  /** Passes the messages of this broker's own clients to a recorder (`TopicTable.tap`). */
  tap(sinkOf: (topic: string) => TopicSink | null): void {
    this.#topics.tap(sinkOf);
  }

  handOver(): HandedOver {
    // Changes that wait are reported by this program.
    this.flush();
    const { kept, ...topics } = this.#topics.saved();
    const members = [...this.#members].map(([client, { registration }]) => {
      return {
        client: client.id,
        registration,
        bytes: this.#registrations.limits.bytesOf(client),
        discovered: this.#topics.discoveredBy(client),
      };
    });
    const deliveries = this.#deliveries.handOver();
    const state: RegistryState = { members, ...topics, ...this.#services.saved(), broker: this.#kept?.broker ?? "", deliveries };
    return { state, descriptors: {}, bytes: { [KEPT]: kept } };
  }

  adopt(taken: HandedOver, clients: ReadonlyMap<number, HookedClient>): () => void {
    const parsed = registryState.safeParse(taken.state);
    if (!parsed.success) return this.#adoptUnknown(clients.values());
    const state = parsed.data;
    for (const { client: id, registration, bytes, discovered } of state.members) {
      const client = clients.get(id);
      if (client?.identity === undefined) continue;
      const member = new Member(client);
      member.registration = registration;
      for (const subscription of client.subscriptions.values())
        if (mayMatchTopic(subscription.subject)) member.subscriptions.add(subscription);
      this.#members.set(client, member);
      this.#registrations.limits.restore(client, bytes);
      this.#topics.restoreDiscovered(client, discovered);
    }
    this.#topics.restore(state, Buffer.from(taken.bytes[KEPT] ?? []), clients);
    if (this.#kept !== null) this.#kept.broker = state.broker;
    if (state.topics.length > 0) this.#beginTicks();
    this.#services.restore(state, clients);
    return () => this.#deliveries.adopt(state.deliveries, clients, () => this.#topics.entries());
  }

  /** Begins with empty tables, which clients fill as they publish or register again: those of the earlier program have another shape. */
  #adoptUnknown(clients: Iterable<HookedClient>): () => void {
    this.#options.log("warning", "topics and services are not known until their programs register again: an earlier version has left them");
    return () => {
      for (const client of clients) this.connected(client);
    };
  }

  ended(): void {
    this.#kept?.close();
    this.#endTicks?.();
    // No ticks begin any more.
    this.#endTicks = () => {};
    this.#changes.close();
    this.#services.close();
  }

  connected(client: HookedClient): void {
    if (client.identity === undefined) return;
    if (!this.#members.has(client)) {
      this.#members.set(client, new Member(client));
      for (const subscription of client.subscriptions.values()) this.subscribed(client, subscription);
    }
    this.#noteClient(client);
  }

  closed(client: HookedClient): void {
    if (!this.#members.delete(client)) return;
    this.#registrations.limits.release(client);
    this.#topics.release(client);
    this.#kept?.forget(client);
    this.#changes.note(`client ${client.id}`, () => ({ kind: "client_gone", connection: client.id }));
  }

  subscribed(client: HookedClient, subscription: ClientSubscription): void {
    this.#deliverLast(subscription);
    this.#askForLast(subscription);
    const member = this.#members.get(client);
    if (member === undefined) return;
    this.#services.subscribed(client, subscription);
    if (!mayMatchTopic(subscription.subject)) return;
    member.subscriptions.add(subscription);
    this.#noteClient(client);
  }

  interested(subscription: ClientSubscription): void {
    this.#deliverLast(subscription);
  }

  unsubscribed(client: HookedClient, subscription: ClientSubscription): void {
    this.#services.unsubscribed(client, subscription);
    if (this.#members.get(client)?.subscriptions.delete(subscription)) this.#noteClient(client);
  }

  publishing(client: HookedClient, envelope: Envelope, message: BorrowedMessage, isAllowed: boolean): "taken" | Refusal | null {
    const { subject } = envelope;
    const first = subject.charCodeAt(0);
    if (first === TOPIC) {
      if (!isAllowed || !subject.startsWith(TOPIC_PREFIX) || client.identity === undefined) return null;
      return this.#topics.publishing(client, envelope, message);
    }
    if (first === INBOX) return isAllowed && this.#services.takes(client, envelope, message) ? "taken" : null;
    if (first !== MGR || subject !== REGISTER_SUBJECT || client.identity === undefined) return null;
    this.#registrations.receive(client, envelope, message);
    return "taken";
  }

  dropped(subject: string, msgs: number): void {
    const entry = this.#topics.get(subject);
    if (entry !== undefined) entry.dropped += msgs;
  }

  policyOf(subject: string): TopicPolicy | null {
    return this.#topics.get(subject)?.policy ?? null;
  }

  #nameOf(client: HookedClient): string {
    return this.#members.get(client)?.name ?? nameWithoutRegistration(client);
  }

  #deliverLast(subscription: ClientSubscription): void {
    // Members of queue groups get no kept messages, because they share their messages.
    if (subscription.queue !== null || !mayMatchTopic(subscription.subject)) return;
    const { subject } = subscription;
    const own = this.#topics.get(subject);
    const isPattern = subject.includes("*") || subject.endsWith(">");
    const topics = isPattern ? this.#topics.entries() : own === undefined ? null : [own].values();
    if (topics !== null) this.#deliveries.begin(subscription, topics);
  }

  /** Requests newest messages from other brokers, which may also keep messages of the topic. */
  #askForLast(subscription: ClientSubscription): void {
    const { subject, queue, isEnded } = subscription;
    if (queue !== null || isEnded || !mayMatchTopic(subject)) return;
    const own = this.#topics.get(subject);
    if (own === undefined || own.isLost) this.#kept?.ask(subscription);
  }

  #topicRecord(entry: TopicEntry) {
    const { record } = entry;
    return { ...record, subject: readableText(record.subject) };
  }

  #topicChanged(entry: TopicEntry): void {
    this.#beginTicks();
    this.#changes.note(`topic ${entry.subject}`, () => ({ kind: "topic", topic: this.#topicRecord(entry) }));
  }

  #beginTicks(): void {
    this.#endTicks ??= everyBeat(COUNTERS_MS, () => this.#countersTick());
  }

  #topicGone(subject: string): void {
    this.#reported.delete(subject);
    this.#changes.drop(`counters ${subject}`);
    this.#changes.note(`topic ${subject}`, () => ({ kind: "topic_gone", subject: readableText(subject) }));
  }

  /** Milliseconds since the last message of a topic, to half a second; null: not known, or there was none. */
  quietFor(subject: string): number | null {
    return this.#topics.get(subject)?.quietFor(performance.now()) ?? null;
  }

  #countersTick(): void {
    const at = performance.now();
    let topics = 0;
    for (const entry of this.#topics.entries()) {
      topics++;
      entry.readRate(at);
      if (entry.foreign.read(at)) this.#topicChanged(entry);
      const { subject } = entry;
      // The counters get the time of the rate, even if the machine was busy meanwhile.
      const counters = entry.countersAt(at);
      const { at: _at, ...values } = counters;
      const text = Object.values(values).join(" ");
      if (this.#reported.get(subject) === text) continue;
      this.#reported.set(subject, text);
      if (!this.#changes.has(`topic ${subject}`))
        this.#changes.note(`counters ${subject}`, () => ({ kind: "counters", subject: readableText(subject), counters }));
    }
    this.flush();
    if (topics > 0) return;
    this.#endTicks?.();
    this.#endTicks = null;
  }

  #noteClient(client: HookedClient): void {
    const member = this.#members.get(client);
    if (member !== undefined) this.#changes.note(`client ${client.id}`, () => ({ kind: "client", client: member.record }));
  }
}

function serviceKey(connection: number, id: string): string {
  return `service ${connection} ${id}`;
}

function mayMatchTopic(subject: string): boolean {
  return subject.startsWith(TOPIC_PREFIX) || subject === ">" || subject.startsWith("*.");
}
