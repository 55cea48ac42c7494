import { headers, type MsgHdrs } from "@nats-io/nats-core";
import type { BusMessage } from "../../../../src/bus/broker/bus-message.ts";
import { permissionsOf } from "../../../../src/bus/broker/permissions.ts";
import type { Bus } from "../../../../src/bus/client/bus.ts";
import { connectBus } from "../../../../src/bus/client/connect-bus.ts";
import { Registry } from "../../../../src/bus/registry/registry.ts";
import { REGISTER_SUBJECT } from "../../../../src/contract/registry.ts";
import { Tcp } from "../../../bus/carriers.ts";

const PROGRAM_TOKEN = "the-token-of-a-run";

/** A broker with its table of clients, and a connection of the test's own that sees what programs send. */
export class Hub implements AsyncDisposable {
  readonly registry: Registry;
  readonly #tcp: Tcp;
  readonly #cleanUp: (() => Promise<void>)[] = [];
  #bus: Bus | null = null;

  private constructor() {
    this.registry = new Registry({
      host: "bench",
      server: "leaf",
      place: () => ({ port: this.#tcp.port, unix_socket: null }),
      log: () => {},
    });
    const program = permissionsOf({ kind: "client", name: "arm/program", run_id: "7-1", process: "arm/program" });
    this.#tcp = new Tcp(false, [[PROGRAM_TOKEN, program]], { hooks: this.registry });
  }

  static async start(): Promise<Hub> {
    const hub = new Hub();
    await hub.begin();
    return hub;
  }

  get url(): string {
    return `nats://${PROGRAM_TOKEN}@127.0.0.1:${this.#tcp.port}`;
  }

  readonly token = PROGRAM_TOKEN;

  get port(): number {
    return this.#tcp.port;
  }

  get bus(): Bus {
    if (!this.#bus) throw new Error("the hub is closed");
    return this.#bus;
  }

  /** On the port that it had before. */
  async begin(): Promise<void> {
    await this.#tcp.begin();
    this.#bus = await this.#tcp.bus("test");
  }

  async end(): Promise<void> {
    await this.#bus?.close();
    await this.#tcp.end();
  }

  /** What the broker knows of a client, with the topics that it has reserved. */
  client(name: string) {
    const { clients, topics } = this.registry.tables();
    const found = clients.find((client) => client.registered && client.name === name);
    return found && { ...found, topics: topics.filter(({ connection, reserved }) => reserved && connection === found.connection) };
  }

  topic(name: string) {
    return this.registry.tables().topics.find((topic) => topic.name === name);
  }

  /** Another client has these topics, until the end of the test. */
  async take(...topics: string[]): Promise<void> {
    const other = await connectBus({ server: { kind: "url", urls: [this.url] }, name: "other" });
    this.#cleanUp.push(() => other.close());
    const body = { name: "other", topics: topics.map((name) => ({ name, encoding: "raw" })) };
    await other.request(REGISTER_SUBJECT, JSON.stringify(body), { timeoutMs: 30_000 });
  }

  /** What arrives on a subject from now on. */
  async collect(subject: string): Promise<BusMessage[]> {
    const messages: BusMessage[] = [];
    this.bus.subscribe(subject, ({ subject, reply, data, headers }) => {
      messages.push({ subject, reply, data: Uint8Array.from(data), headers });
    });
    await this.bus.flush();
    return messages;
  }

  /** Publishes with these headers, and asks for an answer on `reply`. */
  send(subject: string, data: Uint8Array | string, marks: Record<string, string> = {}, reply?: string): void {
    const sent: MsgHdrs = headers();
    for (const [key, value] of Object.entries(marks)) sent.set(key, value);
    this.bus.publish(subject, data, { headers: sent, ...(reply === undefined ? {} : { reply }) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const cleanUp of this.#cleanUp) await cleanUp();
    await this.#tcp[Symbol.asyncDispose]();
  }
}
