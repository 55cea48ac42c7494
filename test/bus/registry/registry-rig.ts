import { connect, type Msg, type NatsConnection } from "@nats-io/transport-node";
import { expect } from "vitest";
import { type Broker, type BrokerOptions, createBroker } from "../../../src/bus/broker/broker.ts";
import { permissionsOf } from "../../../src/bus/broker/permissions.ts";
import { Registry } from "../../../src/bus/registry/registry.ts";
import type { RegistryChange } from "../../../src/contract/registry.ts";
import { FEATURE_CHECKS } from "../../../src/features/contract.ts";

/** A broker with its registry on a TCP port of loopback. The name of a client's process is its token. */
export class RegistryRig {
  readonly registry: Registry;
  readonly broker: Broker;
  readonly changes: RegistryChange[] = [];
  port = 0;
  readonly #open: NatsConnection[] = [];

  private constructor(options: BrokerOptions) {
    const place = () => ({ port: this.port, unix_socket: null });
    this.registry = new Registry({ host: "rt1", server: "leaf", place, log: () => {}, ...FEATURE_CHECKS });
    this.registry.listen((changes) => this.changes.push(...changes));
    this.broker = createBroker({ hooks: this.registry, ...options });
  }

  static async start(options: BrokerOptions = {}): Promise<RegistryRig> {
    const rig = new RegistryRig(options);
    const authenticate = ({ token }: { token: string | null }) =>
      permissionsOf({ kind: "client", name: token ?? "", run_id: "7-1", process: token ?? "" });
    rig.port = await rig.broker.listenTcp({ host: "127.0.0.1", port: 0, authenticate });
    return rig;
  }

  /** Of the official library; by default it does not come back once it is cut off. */
  async connect(name: string, token = "arm/driver"): Promise<NatsConnection> {
    const connection = await connect({ servers: `127.0.0.1:${this.port}`, name, token, reconnect: false });
    this.#open.push(connection);
    return connection;
  }

  /** A connected client that has registered; throws what the broker answers otherwise. */
  async client(name: string, topics: readonly object[] = []): Promise<NatsConnection> {
    const connection = await this.connect(name);
    expect(await register(connection, { name, topics })).toMatchObject({ ok: true, name });
    return connection;
  }

  topic(name: string) {
    return this.registry.tables().topics.find((topic) => topic.name === name);
  }

  client$(name: string) {
    return this.registry.tables().clients.find((client) => client.name === name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const connection of this.#open) await connection.close();
    await this.broker.close();
  }
}

export async function register(connection: NatsConnection, registration: unknown): Promise<Record<string, unknown>> {
  const answer = await connection.request("mgr.client.register", JSON.stringify(registration), { timeout: 30_000 });
  return answer.json<Record<string, unknown>>();
}

/** The next messages of a subscription, as they come. */
export function collect(connection: NatsConnection, subject: string): Msg[] {
  const messages: Msg[] = [];
  connection.subscribe(subject, { callback: (error, message) => void (error ?? messages.push(message)) });
  return messages;
}
