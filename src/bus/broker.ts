import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { MgrError, messageOf } from "../base/errors.ts";
import { type AcceptOptions, BrokerClient, type ClientEnvironment, type ClientSubscription } from "./broker-client.ts";
import { type BrokerCounters, newCounters } from "./broker-counters.ts";
import type { Envelope } from "./broker-parser.ts";
import { BROKER_LIMITS, type BrokerLimits, CRLF, ERROR_TEXTS, SPOKEN_VERSION } from "./broker-protocol.ts";
import { SubscriptionTree } from "./broker-subscriptions.ts";
import { BrokerTurns } from "./broker-turns.ts";
import { type ByteStream, socketStream } from "./byte-stream.ts";
import { memoryPair } from "./memory-pair.ts";
import { listenUnix } from "./unix-listener.ts";

export interface BrokerOptions extends Partial<BrokerLimits> {
  /** The server's name in INFO. */
  readonly name?: string;
  readonly log?: (level: "info" | "warning" | "error", msg: string) => void;
}

export interface BrokerClientStats extends BrokerCounters {
  id: number;
  name: string;
  kind: AcceptOptions["kind"];
  /** Of the principal, "" without. */
  user: string;
  address: string;
  subscriptions: number;
  /** Bytes that it has not read yet. */
  pending_bytes: number;
}

export interface BrokerStats extends BrokerCounters {
  clients: BrokerClientStats[];
  subscriptions: number;
}

/** A server of the NATS protocol within this program: core messaging without JetStream, clusters and accounts. */
export interface Broker {
  /** Serves a unix socket of mode 0600. Rejects a path over 107 bytes, and one where somebody else serves (`conflict`). */
  listenUnix(path: string): Promise<void>;
  /** A new in-process connection: the client's end. */
  connectMemory(options?: Omit<AcceptOptions, "kind">): ByteStream;
  /** Serves any other carrier: the seam for TCP and WebSocket. */
  accept(stream: ByteStream, options: AcceptOptions): void;
  stats(): BrokerStats;
  /** Closes every connection and socket; resolves when the socket files are gone. */
  close(): Promise<void>;
}

export function createBroker(options: BrokerOptions = {}): Broker {
  return new EmbeddedBroker(options);
}

class EmbeddedBroker implements Broker, ClientEnvironment {
  readonly limits: BrokerLimits;
  readonly tree = new SubscriptionTree<ClientSubscription>();
  readonly turns = new BrokerTurns();
  readonly counters = newCounters();
  readonly #name: string;
  readonly #log: NonNullable<BrokerOptions["log"]>;
  readonly #id = randomBytes(12).toString("hex").toUpperCase();
  readonly #clients = new Set<BrokerClient>();
  readonly #listeners: { close(): Promise<void> }[] = [];
  readonly #ticks: ReturnType<typeof setInterval>;
  #nextClient = 1;
  #isClosed = false;

  constructor(options: BrokerOptions) {
    const { name = "mgr", log = () => {}, ...limits } = options;
    this.#name = name;
    this.#log = log;
    this.limits = { ...BROKER_LIMITS, ...limits };
    this.#ticks = setInterval(() => {
      for (const client of this.#clients) client.tick();
    }, this.limits.pingIntervalMs);
    this.#ticks.unref();
  }

  async listenUnix(path: string): Promise<void> {
    this.#assertOpen();
    const listener = await listenUnix(path, {
      accept: (socket) => this.accept(socketStream(socket), { kind: "unix" }),
      failed: (error) => this.#log("error", `the bus socket ${path} cannot take a connection: ${error.message}`),
    });
    this.#listeners.push(listener);
    if (this.#isClosed) await listener.close();
  }

  connectMemory(options: Omit<AcceptOptions, "kind"> = {}): ByteStream {
    this.#assertOpen();
    const [server, client] = memoryPair();
    this.accept(server, { ...options, kind: "memory" });
    return client;
  }

  accept(stream: ByteStream, options: AcceptOptions): void {
    const client = new BrokerClient(this.#nextClient++, stream, options, this);
    const isFull = this.#clients.size >= this.limits.maxClients;
    this.#clients.add(client);
    client.open();
    if (this.#isClosed) client.destroy();
    else if (isFull) client.fail(ERROR_TEXTS.clients);
  }

  stats(): BrokerStats {
    const clients = [...this.#clients].map((client) => ({
      id: client.id,
      name: client.name,
      kind: client.accepted.kind,
      user: client.accepted.principal?.user ?? "",
      address: client.accepted.principal?.address ?? "",
      subscriptions: client.subscriptions.size,
      pending_bytes: client.pending,
      ...client.counters,
    }));
    return { ...this.counters, clients, subscriptions: this.tree.size };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#ticks);
    for (const client of this.#clients) client.destroy();
    await Promise.all(this.#listeners.splice(0).map((listener) => listener.close()));
  }

  greeting(client: BrokerClient): string {
    const info = {
      server_id: this.#id,
      server_name: this.#name,
      version: SPOKEN_VERSION,
      proto: 1,
      host: hostname(),
      port: 0,
      headers: true,
      max_payload: this.limits.maxPayload,
      client_id: client.id,
      ...(client.accepted.authenticate ? { auth_required: true } : {}),
    };
    return `INFO ${JSON.stringify(info)} ${CRLF}`;
  }

  closed(client: BrokerClient): void {
    this.#clients.delete(client);
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

  route(publisher: BrokerClient, envelope: Envelope, message: Buffer): boolean {
    const { plain, groups } = this.tree.match(envelope.subject);
    let interest = false;
    for (const subscription of plain) {
      if (!wants(subscription, publisher)) continue;
      interest = true;
      subscription.client.deliver(subscription, envelope, message);
    }
    for (const group of groups) {
      const first = Math.floor(Math.random() * group.length);
      for (let offset = 0; offset < group.length; offset++) {
        const member = group[(first + offset) % group.length] as ClientSubscription;
        if (!wants(member, publisher)) continue;
        interest = true;
        // A member that cannot take it leaves it to the next.
        if (member.client.deliver(member, envelope, message)) break;
      }
    }
    return interest;
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new MgrError("host_unavailable", "the bus is closed; the manager is shutting down");
  }
}

/** It may have ended while a message was on its way to many. */
function wants(subscription: ClientSubscription, publisher: BrokerClient): boolean {
  const { client } = subscription;
  return (client !== publisher || client.echo) && client.subscriptions.get(subscription.sid) === subscription;
}
