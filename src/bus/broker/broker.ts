import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { MgrError, messageOf } from "../../base/errors.ts";
import type { HandedOver } from "../../base/handed-over.ts";
import type { WarningLog } from "../../base/throttled-warning.ts";
import { everyBeat } from "../../base/timing/clock.ts";
import { untilWithin } from "../../base/timing/wait.ts";
import type { ByteStream } from "../carriers/byte-stream.ts";
import { memoryPair } from "../carriers/memory-pair.ts";
import type { TcpAddress } from "../carriers/tcp-listener.ts";
import type { SocketHome } from "../carriers/unix-listener.ts";
import { type BrokerCounters, newCounters, type SubjectCounters } from "./broker-counters.ts";
import type { BrokerHooks } from "./broker-hooks.ts";
import { BROKER_LIMITS, type BrokerLimits, CRLF, ERROR_TEXTS, SPOKEN_VERSION } from "./broker-protocol.ts";
import { subjectMatches } from "./broker-subscriptions.ts";
import { BrokerTurns } from "./broker-turns.ts";
import { BrokerClient, type ClientEnvironment } from "./client/broker-client.ts";
import { Departures } from "./departures.ts";
import { type Adopted, type AdoptOptions, BrokerHandover } from "./handover/broker-handover.ts";
import { brokerState, type HandedBroker } from "./handover/broker-state.ts";
import type { AnswerCount } from "./leaf/answer-book.ts";
import { BrokerLinks, type LinkStats } from "./leaf/broker-links.ts";
import type { DialedLink, DialedLinkOptions } from "./leaf/dialed-link.ts";
import type { LinkCounts } from "./leaf/leaf-protocol.ts";
import type { LinkAccount } from "./leaf/link-account.ts";
import { BrokerPort } from "./listeners/broker-port.ts";
import { ClientListeners, type TcpOptions } from "./listeners/client-listeners.ts";
import type { AcceptOptions } from "./permissions.ts";
import type { Waiting } from "./queues/fair-queue.ts";
import { MemoryBudget } from "./queues/memory-budget.ts";
import { BrokerRouter, type BrokerSubjectStats } from "./routing/broker-router.ts";
import { SubscriptionLimits } from "./subscriptions/subscription-limits.ts";
import { type SubjectTrace, traceSubject } from "./trace/subject-trace.ts";

/** Connections within the machine are pinged once in this many ping intervals: the kernel reports their end, so pings only find those that hang. */
const LOCAL_PINGS = 5;

export interface BrokerOptions extends Partial<BrokerLimits> {
  /** The server's name in INFO. */
  readonly name?: string;
  readonly log?: WarningLog;
  /** Its table of clients, topics and services. */
  readonly hooks?: BrokerHooks;
  /** Memory budget for queues and kept messages; left out: the broker creates its own. */
  readonly memory?: MemoryBudget;
  /** State of the broker of the program that this one replaces: `adopt` continues it. Throws if it is malformed. */
  readonly taken?: HandedOver | undefined;
}

export interface BrokerClientStats extends BrokerCounters {
  id: number;
  name: string;
  kind: AcceptOptions["kind"];
  /** User name of the principal, "" without. */
  user: string;
  address: string;
  subscriptions: number;
  /** Number of bytes that the client has not read yet. */
  pending_bytes: number;
}

export interface BrokerStats extends BrokerCounters {
  clients: BrokerClientStats[];
  /** Links to other brokers, also those without a connection at the moment. */
  links: LinkStats[];
  subscriptions: number;
}

/** Counters of messages that cross links. */
export interface Crossings {
  readonly subjects: ReadonlyMap<string, Omit<SubjectCounters, "last_bytes" | "publishers">>;
  /** Messages that wait for links, by subject. */
  readonly waiting: ReadonlyMap<string, Waiting>;
  /** Bytes of each link, with the name of the other side. */
  readonly links: readonly Pick<LinkStats, "name" | "in_bytes" | "out_bytes">[];
  /** Answers to requests, by the subjects of the requests. */
  readonly answers: Iterable<[string, AnswerCount]>;
}

/** A server of the NATS protocol within this program: core messaging without JetStream, clusters and accounts. */
export interface Broker {
  /** Memory of the queues and kept messages; loggers of the same daemon share it. */
  readonly memory: MemoryBudget;
  /** Serves a unix socket of mode 0600. Rejects a path over 107 bytes, and one where another process listens (`conflict`). */
  listenUnix(path: string, home?: SocketHome): Promise<void>;
  /** Serves plain NATS over TCP and resolves with the port. Rejects with `conflict` if the port is not available. */
  listenTcp(options: TcpOptions & TcpAddress): Promise<number>;
  /** Continues the port and the clients of `BrokerOptions.taken`. Throws if there is no such port. */
  adopt(options: AdoptOptions): Adopted;
  /** Opens an in-process connection and returns the client's end. */
  connectMemory(options?: Omit<AcceptOptions, "kind">): ByteStream;
  /** Opens an endpoint for this program itself, without a carrier and without the text protocol. */
  port(): BrokerPort;
  /** Serves any other carrier, such as a WebSocket. */
  accept(stream: ByteStream, options: AcceptOptions): void;
  /** Links this broker, as a leaf, to the hub at the other end of `stream`. */
  link(options: DialedLinkOptions): DialedLink;
  /** Counts the messages for a hub as missed from now on, until it is linked: an earlier program had linked it. */
  missFor(account: LinkAccount): void;
  stats(): BrokerStats;
  /** Published messages by subject; inboxes share one entry, as do the subjects after the first 10,000. */
  subjects(): BrokerSubjectStats[];
  /** Live counters of messages that cross links, by subject. */
  crossings(): Crossings;
  /** The state of one subject here, to find out why its messages do not arrive. */
  trace(subject: string): SubjectTrace;
  /** Changes the largest message that is accepted, bytes. Clients are informed; existing links keep the previous limit. */
  limitPayload(bytes: number): void;
  /** Closes the connections whose permissions are no longer valid. */
  revalidate(): void;
  /**
   * "Lame duck" mode: accepts no more clients over TCP and WebSocket and informs the connected ones, which then try another server or
   * reconnect later; clients that are still connected after `graceMs` are closed.
   */
  retire(graceMs: number): Promise<void>;
  /** Reads nothing more from the clients, and resolves when what was received is processed; bounded in time. */
  quiet(): Promise<void>;
  /** Reads again: the program was not replaced. */
  resume(): void;
  /** Hands over the port, and the clients on plain TCP connections with everything that is on its way. Links are closed by the exec. */
  handOver(): HandedBroker;
  /** Sends pending output, then closes every connection and socket; resolves when the socket files are gone. */
  close(): Promise<void>;
}

export function createBroker(options: BrokerOptions = {}): Broker {
  return new EmbeddedBroker(options);
}

class EmbeddedBroker implements Broker, ClientEnvironment {
  readonly limits: BrokerLimits;
  readonly turns = new BrokerTurns();
  readonly router = new BrokerRouter(this.turns);
  readonly departures = new Departures(this.turns);
  readonly subscriptionLimits: SubscriptionLimits;
  readonly counters = newCounters();
  readonly hooks: BrokerHooks | null;
  readonly memory: MemoryBudget;
  readonly links: BrokerLinks;
  readonly #name: string;
  readonly #log: WarningLog;
  readonly id: string;
  readonly #clients = new Set<BrokerClient>();
  readonly #ports = new Set<BrokerPort>();
  readonly #listeners: ClientListeners;
  readonly #endTicks: () => void;
  readonly #taken: HandedBroker | null;
  readonly #handover: BrokerHandover;
  #nextClient: number;
  #isRetiring = false;
  #isClosed = false;
  #notifyClosed = () => {};

  constructor(options: BrokerOptions) {
    const { name = "mgr", log = () => {}, hooks = null, memory = new MemoryBudget(log), taken, ...limits } = options;
    this.#taken = taken === undefined ? null : { ...taken, state: brokerState.parse(taken.state) };
    const { id = randomBytes(12).toString("hex").toUpperCase(), nextClient = 1, counters = {} } = this.#taken?.state ?? {};
    this.id = id;
    this.#nextClient = nextClient;
    Object.assign(this.counters, counters);
    this.hooks = hooks;
    this.memory = memory;
    this.#name = name;
    this.#log = log;
    this.limits = { ...BROKER_LIMITS, ...limits };
    this.subscriptionLimits = new SubscriptionLimits(this.router.tree, this.limits);
    this.links = new BrokerLinks(this, log);
    this.#listeners = new ClientListeners({
      maxClients: this.limits.maxClients,
      log,
      accept: (stream, accepted, isRefused) => this.#accept(stream, accepted, isRefused),
    });
    this.#handover = new BrokerHandover({ environment: this, listeners: this.#listeners, clients: this.#clients });
    let beat = 0;
    this.#endTicks = everyBeat(this.limits.pingIntervalMs, () => {
      // A client that is not read cannot answer.
      if (this.#handover.isQuiet) return;
      const isLocalTurn = ++beat % LOCAL_PINGS === 0;
      for (const client of this.#clients) if (isLocalTurn || client.accepted.kind !== "unix") client.tick();
      this.links.tick(isLocalTurn);
    });
    const spend = (units: number) => {
      this.turns.deliveries += units;
    };
    hooks?.opened({ id: this.#nextClient++, router: this.router, memory, spend });
  }

  async listenUnix(path: string, home?: SocketHome): Promise<void> {
    this.#assertOpen();
    await this.#listeners.listenUnix(path, home);
  }

  async listenTcp(options: TcpOptions & TcpAddress): Promise<number> {
    this.#assertOpen();
    return this.#listeners.listenTcp(options);
  }

  adopt(options: AdoptOptions): Adopted {
    if (this.#taken === null) throw new MgrError("internal", "no earlier broker has handed over its connections");
    return this.#handover.adopt(this.#taken, options);
  }

  quiet(): Promise<void> {
    return this.#handover.quiet();
  }

  resume(): void {
    this.#handover.resume();
  }

  handOver(): HandedBroker {
    return this.#handover.handOver(this.#nextClient);
  }

  connectMemory(options: Omit<AcceptOptions, "kind"> = {}): ByteStream {
    this.#assertOpen();
    const [server, client] = memoryPair();
    this.accept(server, { ...options, kind: "memory" });
    return client;
  }

  port(): BrokerPort {
    this.#assertOpen();
    const port = new BrokerPort(this.#nextClient++, this, this.#log);
    this.#ports.add(port);
    return port;
  }

  accept(stream: ByteStream, options: AcceptOptions): void {
    this.#accept(stream, options, false);
  }

  #accept(stream: ByteStream, options: AcceptOptions, isRefused: boolean): void {
    const client = new BrokerClient(this.#nextClient++, stream, options, this);
    const isFull = isRefused || this.#clients.size >= this.limits.maxClients;
    this.#clients.add(client);
    client.open();
    if (this.#handover.isQuiet) client.connection.reading.halt();
    const isGuest = options.kind === "tcp" || options.kind === "websocket";
    if (this.#isClosed || (this.#isRetiring && isGuest)) client.destroy();
    else if (isFull) client.fail(ERROR_TEXTS.clients);
  }

  link(options: DialedLinkOptions): DialedLink {
    this.#assertOpen();
    return this.links.dial(this.#nextClient++, options);
  }

  missFor(account: LinkAccount): void {
    this.router.absent.add(account);
  }

  stats(): BrokerStats {
    const clients = [...this.#clients].map((client) => ({
      id: client.id,
      name: client.name,
      kind: client.accepted.kind,
      user: client.user,
      address: client.address,
      subscriptions: client.subscriptions.size,
      pending_bytes: client.connection.pending,
      ...client.counters,
    }));
    return { ...this.counters, clients, links: this.links.stats(), subscriptions: this.router.tree.size };
  }

  subjects(): BrokerSubjectStats[] {
    return this.router.subjects();
  }

  crossings(): Crossings {
    const { links } = this;
    return { subjects: this.router.counted(), waiting: links.waiting(), links: links.stats(), answers: links.answers.entries() };
  }

  trace(subject: string): SubjectTrace {
    return traceSubject({
      subject,
      counters: this.router.counted().get(subject),
      clients: [...this.#clients].filter(({ link }) => link === null),
      links: this.links.trace(subject),
      matches: (pattern) => subjectMatches(pattern, subject),
    });
  }

  limitPayload(bytes: number): void {
    if (bytes === this.limits.maxPayload) return;
    this.limits.maxPayload = bytes;
    for (const client of this.#clients) if (client.link === null) client.sendLine(this.greeting(client));
  }

  revalidate(): void {
    for (const client of this.#clients) if (!client.isValid()) client.fail(ERROR_TEXTS.revoked);
  }

  async retire(graceMs: number): Promise<void> {
    this.#isRetiring = true;
    const guests = () => [...this.#clients].filter(({ accepted: { kind } }) => kind === "tcp" || kind === "websocket");
    for (const client of guests()) client.sendLine(this.greeting(client));
    const subscribe = (check: () => void) => {
      this.#notifyClosed = check;
      return () => {
        this.#notifyClosed = () => {};
      };
    };
    await untilWithin(() => guests().length === 0, subscribe, { forMs: graceMs });
    await Promise.all(guests().map((client) => client.drainAndClose()));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endTicks();
    for (const port of this.#ports) port.close();
    this.router.deliveries.close();
    const closed = this.#listeners.close();
    await Promise.all([...this.#clients].map((client) => client.drainAndClose()));
    await Promise.all([closed, this.links.close()]);
    this.departures.close();
    this.hooks?.ended();
  }

  greeting(client: BrokerClient, counts?: LinkCounts): string {
    const info = {
      server_id: this.id,
      server_name: this.#name,
      version: SPOKEN_VERSION,
      proto: 1,
      host: hostname(),
      port: 0,
      headers: true,
      max_payload: this.limits.maxPayload,
      client_id: client.id,
      ...(client.address === "" ? {} : { client_ip: client.address.replace(/:\d+$/, "") }),
      ...(client.accepted.authenticate ? { auth_required: true } : {}),
      ...(client.accepted.tls ? { tls_required: true } : {}),
      ...(this.#isRetiring ? { ldm: true } : {}),
      ...(counts ? { connect_info: true, mgr_counts: counts } : {}),
    };
    return `INFO ${JSON.stringify(info)} ${CRLF}`;
  }

  closed(client: BrokerClient): void {
    this.#clients.delete(client);
    this.router.forget(client);
    this.hooks?.closed(client);
    this.#notifyClosed();
  }

  defect(client: BrokerClient, error: unknown): void {
    this.#log("error", `a defect of the bus closed client ${client.id} '${client.name}': ${messageOf(error)}`);
  }

  slow(client: BrokerClient): void {
    this.#log(
      "warning",
      `bus client ${client.id} '${client.name}' does not read fast enough and loses messages beyond ${this.limits.maxPending} bytes (${client.counters.dropped_msgs} so far)`,
    );
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new MgrError("host_unavailable", "the bus is closed; the manager is shutting down");
  }
}
