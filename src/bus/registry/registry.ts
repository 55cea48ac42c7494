import type { z } from "zod";
import { messageOf, wireCode } from "../../base/errors.ts";
import { parseJson } from "../../base/json.ts";
import { Publisher } from "../../base/publisher.ts";
import {
  type ClientRecord,
  type ClientRegistration,
  COUNTERS_MS,
  clientRegistration,
  type DataPlaneChange,
  type DataPlaneTables,
  MAX_REPORTED_SUBSCRIPTIONS,
  REGISTER_SUBJECT,
} from "../../contract/data-plane.ts";
import type { BorrowedMessage } from "../broker/borrowed-message.ts";
import type { BrokerAccess, BrokerHooks, HookedClient, Refusal } from "../broker/broker-hooks.ts";
import { readableText } from "../broker/broker-protocol.ts";
import type { ClientSubscription } from "../broker/broker-subscriber.ts";
import { subjectMatches } from "../broker/broker-subscriptions.ts";
import type { Envelope } from "../broker/parser/broker-parser.ts";
import { KeptRequests } from "./kept-requests.ts";
import { ServiceTable } from "./service-table.ts";
import type { TopicEntry, TopicSink } from "./topic-entry.ts";
import { TopicTable } from "./topic-table.ts";

/** Changes are collected for this long, so that a client that subscribes to a hundred topics is one message, milliseconds. */
const COLLECT_MS = 20;
const TOPIC_PREFIX = "topic.";
/** First characters of what the registry looks at: one comparison decides for all other subjects. */
const TOPIC = TOPIC_PREFIX.charCodeAt(0);
const MGR = REGISTER_SUBJECT.charCodeAt(0);
const INBOX = "_".charCodeAt(0);
/** What goes is told before what comes, and clients before their topics and services. */
const ORDER: readonly DataPlaneChange["kind"][] = ["topic_gone", "service_gone", "client_gone", "client", "topic", "service", "counters"];

export interface RegistryOptions {
  /** Canonical name of the broker's host. */
  readonly host: string;
  /** Whether clients reach the broker of their host, or the manager's. */
  readonly server: "leaf" | "hub";
  /** TCP port and unix socket of the broker. */
  readonly place: () => { readonly port: number; readonly unix_socket: string | null };
  readonly log: (level: "info" | "warning" | "error", msg: string) => void;
}

interface Member {
  readonly client: HookedClient;
  registration: ClientRegistration | null;
  /** Those that may match a topic. */
  readonly subscriptions: Set<ClientSubscription>;
}

/**
 * Clients, topics and services of one broker: who is connected, who may publish what, what was counted. Give it to `createBroker` as
 * `hooks`. Connections without an identity (hosts, the manager's own) are none of its clients.
 */
export class Registry implements BrokerHooks {
  readonly #options: RegistryOptions;
  readonly #members = new Map<HookedClient, Member>();
  readonly #topics: TopicTable;
  #kept: KeptRequests | null = null;
  readonly #services: ServiceTable;
  readonly #changes: Publisher<readonly DataPlaneChange[]>;
  /** By what changed: only the newest state is reported. */
  #pending = new Map<string, () => DataPlaneChange>();
  #collecting: ReturnType<typeof setTimeout> | null = null;
  readonly #ticks: ReturnType<typeof setInterval>;
  /** What was reported last of each topic's counters. */
  readonly #reported = new Map<string, string>();

  constructor(options: RegistryOptions) {
    this.#options = options;
    const nameOf = (client: HookedClient) => this.#nameOf(client);
    this.#changes = new Publisher((error) => options.log("error", `a defect in a reader of the table of clients: ${messageOf(error)}`));
    this.#topics = new TopicTable({
      nameOf,
      changed: (entry) => this.#topicChanged(entry),
      gone: (subject) => this.#topicGone(subject),
    });
    this.#services = new ServiceTable({
      nameOf,
      endpointOf: ({ accepted: { kind } }) => {
        const { port, unix_socket } = options.place();
        return kind === "unix" ? { port: 0, unix_socket } : { port, unix_socket: null };
      },
      changed: (service) => this.#note(serviceKey(service.connection, service.id), () => ({ kind: "service", service })),
      gone: (connection, id) => this.#note(serviceKey(connection, id), () => ({ kind: "service_gone", connection, id })),
    });
    this.#ticks = setInterval(() => this.#countersTick(), COUNTERS_MS);
    this.#ticks.unref();
  }

  /** Everything as of now; changes that are announced later stand for it again, which does no harm. */
  tables(): DataPlaneTables {
    return {
      clients: [...this.#members.values()].map((member) => recordOf(member)),
      topics: [...this.#topics.entries()].map((entry) => this.#topicRecord(entry)),
      services: [...this.#services.records()],
    };
  }

  /** What the present publishers of topics have published. */
  *published(): Generator<{ subject: string; msgs: number; bytes: number }> {
    for (const { subject, packets, bytes } of this.#topics.entries()) yield { subject: readableText(subject), msgs: packets, bytes };
  }

  /** Told of changes, several at a time; returns the function that ends it. */
  listen(listener: (changes: readonly DataPlaneChange[]) => void): () => void {
    return this.#changes.subscribe(listener);
  }

  /** Tells what is still collected now. */
  flush(): void {
    if (this.#collecting) clearTimeout(this.#collecting);
    this.#collecting = null;
    if (this.#pending.size === 0) return;
    const changes = [...this.#pending.values()].map((make) => make());
    changes.sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
    this.#pending = new Map();
    this.#changes.publish(changes);
  }

  /** Topics that a client of another host published first, by subject, and the reason: the whole list. */
  loseTopics(topics: ReadonlyMap<string, string>): void {
    this.#topics.lose(topics);
  }

  opened(access: BrokerAccess): void {
    this.#kept = new KeptRequests(access, () => this.#topics.published());
  }

  /** What was published while the link was down. */
  linked(): void {
    for (const { subscriptions } of this.#members.values()) for (const subscription of subscriptions) this.#askForLast(subscription);
  }

  arrived(subject: string, isChecked: boolean): void {
    if (subject.charCodeAt(0) !== TOPIC) return;
    this.#kept?.arrived(subject);
    if (!isChecked) this.#topics.get(subject)?.foreign.see();
  }

  /** Gives what this broker's own clients publish to a recorder (`TopicTable.tap`). */
  tap(sinkOf: (topic: string) => TopicSink | null): void {
    this.#topics.tap(sinkOf);
  }

  ended(): void {
    this.#kept?.close();
    clearInterval(this.#ticks);
    if (this.#collecting) clearTimeout(this.#collecting);
    this.#services.close();
  }

  connected(client: HookedClient): void {
    if (client.identity === undefined) return;
    if (!this.#members.has(client)) {
      this.#members.set(client, { client, registration: null, subscriptions: new Set() });
      for (const subscription of client.subscriptions.values()) this.subscribed(client, subscription);
    }
    this.#noteClient(client);
  }

  closed(client: HookedClient): void {
    if (!this.#members.delete(client)) return;
    this.#topics.release(client);
    this.#note(`client ${client.id}`, () => ({ kind: "client_gone", connection: client.id }));
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

  publishing(client: HookedClient, envelope: Envelope, message: BorrowedMessage): "taken" | Refusal | null {
    const { subject } = envelope;
    const first = subject.charCodeAt(0);
    if (first === TOPIC) {
      if (!subject.startsWith(TOPIC_PREFIX) || client.identity === undefined) return null;
      return this.#topics.publishing(client, envelope, message);
    }
    if (first === INBOX) return this.#services.takes(client, envelope, message) ? "taken" : null;
    if (first !== MGR || subject !== REGISTER_SUBJECT || client.identity === undefined) return null;
    this.#register(client, envelope, message);
    return "taken";
  }

  dropped(subject: string): void {
    const entry = this.#topics.get(subject);
    if (entry !== undefined) entry.dropped++;
  }

  #register(client: HookedClient, { reply, headerBytes, size }: Envelope, message: BorrowedMessage): void {
    const answer = this.#registered(client, message.whole().toString("utf8", headerBytes, size));
    if (reply !== null) client.answerRequest(reply, JSON.stringify(answer));
  }

  #registered(client: HookedClient, text: string): object {
    const parsed = clientRegistration.safeParse(parseJson(text));
    if (!parsed.success) return { ok: false, code: "bad_field", message: fieldProblem(parsed.error) };
    const member = this.#members.get(client);
    if (member === undefined) return { ok: false, code: "conflict", message: "send CONNECT first, then register" };
    try {
      const problems = this.#topics.reserve(client, parsed.data.topics);
      member.registration = parsed.data;
      this.#noteClient(client);
      const { host, server } = this.#options;
      return { ok: true, name: parsed.data.name, host, server, problems };
    } catch (error) {
      return { ok: false, code: wireCode(error), message: messageOf(error) };
    }
  }

  #nameOf(client: HookedClient): string {
    return this.#members.get(client)?.registration?.name ?? nameWithoutRegistration(client);
  }

  #deliverLast(subscription: ClientSubscription): void {
    // A member of a queue group is no new reader: the group shares the messages.
    if (subscription.queue !== null || !mayMatchTopic(subscription.subject)) return;
    const { subject } = subscription;
    if (!subject.includes("*") && !subject.endsWith(">")) this.#topics.get(subject)?.last?.deliver(subscription);
    else for (const entry of this.#topics.entries()) if (subjectMatches(subject, entry.subject)) entry.last?.deliver(subscription);
  }

  /** Other brokers keep messages, too. */
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
    this.#note(`topic ${entry.subject}`, () => ({ kind: "topic", topic: this.#topicRecord(entry) }));
  }

  #topicGone(subject: string): void {
    this.#reported.delete(subject);
    this.#pending.delete(`counters ${subject}`);
    this.#note(`topic ${subject}`, () => ({ kind: "topic_gone", subject: readableText(subject) }));
  }

  #countersTick(): void {
    const at = performance.now();
    for (const entry of this.#topics.entries()) {
      entry.readRate(at);
      if (entry.foreign.read(at)) this.#topicChanged(entry);
      const { subject } = entry;
      // The moment of the rate, also if the machine was busy meanwhile.
      const counters = entry.countersAt(at);
      const { at: _at, ...values } = counters;
      const text = Object.values(values).join(" ");
      if (this.#reported.get(subject) === text) continue;
      this.#reported.set(subject, text);
      if (!this.#pending.has(`topic ${subject}`))
        this.#note(`counters ${subject}`, () => ({ kind: "counters", subject: readableText(subject), counters }));
    }
    this.flush();
  }

  #noteClient(client: HookedClient): void {
    const member = this.#members.get(client);
    if (member !== undefined) this.#note(`client ${client.id}`, () => ({ kind: "client", client: recordOf(member) }));
  }

  #note(key: string, make: () => DataPlaneChange): void {
    this.#pending.set(key, make);
    this.#collecting ??= setTimeout(() => this.flush(), COLLECT_MS).unref();
  }
}

/** `topics[0].encoding: must be …` */
function fieldProblem({ issues: [issue] }: z.ZodError): string {
  const path = issue?.path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("") ?? "";
  return `${path.replace(/^\./, "") || "the registration"}: ${issue?.message ?? "is malformed"}`;
}

function serviceKey(connection: number, id: string): string {
  return `service ${connection} ${id}`;
}

function nameWithoutRegistration(client: HookedClient): string {
  return client.name || client.identity?.process || client.identity?.name || "";
}

function recordOf({ client, registration, subscriptions }: Member): ClientRecord {
  const { pid = 0, library_version = 0, svn_revision = 0, modified = false, svc_debug = false } = registration ?? {};
  const subjects = [...subscriptions].slice(0, MAX_REPORTED_SUBSCRIPTIONS).map(({ subject }) => readableText(subject));
  return {
    connection: client.id,
    name: registration?.name ?? nameWithoutRegistration(client),
    pid,
    address: client.address,
    library_version,
    svn_revision,
    modified,
    svc_debug,
    registered: registration !== null,
    run_id: client.identity?.run_id ?? null,
    process_name: client.identity?.process ?? "",
    subscriptions: subjects,
  };
}

function mayMatchTopic(subject: string): boolean {
  return subject.startsWith(TOPIC_PREFIX) || subject === ">" || subject.startsWith("*.");
}
