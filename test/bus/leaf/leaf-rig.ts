import { type Broker, type BrokerOptions, createBroker } from "../../../src/bus/broker/broker.ts";
import type { LinkStats } from "../../../src/bus/broker/leaf/broker-links.ts";
import { HubConnection, type HubDial } from "../../../src/bus/broker/leaf/hub-connection.ts";
import { permissionsOf } from "../../../src/bus/broker/permissions.ts";
import type { ByteStream } from "../../../src/bus/carriers/byte-stream.ts";
import type { Bus } from "../../../src/bus/client/bus.ts";
import { connectBus } from "../../../src/bus/client/connect-bus.ts";
import { hubDial } from "../../../src/bus/client/hub-dial.ts";
import { freePort } from "../../support/free-port.ts";
import { NatsServer } from "../../support/nats/nats-server.ts";

export const HUBS = ["the manager's broker", "nats-server"] as const;
export type HubName = (typeof HUBS)[number];

/** Looks again until it holds. The test's own time-out is the bound. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** A hub, and the brokers of hosts that are linked to it; everything is closed at the end. */
export class LeafRig implements AsyncDisposable {
  readonly leaves: TestLeaf[] = [];
  readonly logged: string[] = [];
  /** Null for nats-server. */
  hub: Broker | null = null;
  /** The hub is opened again there: one that no connection of another program gets meanwhile. */
  readonly #port = freePort();
  #server: NatsServer | null = null;
  readonly #open: { close(): unknown }[] = [];
  #markers = 0;

  static async start(hub: HubName, options: BrokerOptions = {}): Promise<LeafRig> {
    const rig = new LeafRig();
    if (hub === "nats-server")
      rig.#server = await NatsServer.start(
        'leafnodes {listen: "127.0.0.1:$LEAF_PORT", authorization {users: [{user: host, password: secret}]}}',
      );
    else await rig.beginHub(options);
    return rig;
  }

  /** A host, linked. */
  async leaf(name: string, options: BrokerOptions = {}): Promise<TestLeaf> {
    const leaf = new TestLeaf(name, () => this.#dial(name), this.logged, options);
    this.leaves.push(leaf);
    await leaf.linked();
    return leaf;
  }

  /** A client of the hub itself. */
  async hubBus(name: string): Promise<Bus> {
    const server = this.hub ? ({ kind: "memory", broker: this.hub } as const) : ({ kind: "url", urls: [this.#server?.url ?? ""] } as const);
    const bus = await connectBus({ server, name });
    this.#open.push(bus);
    return bus;
  }

  async endHub(): Promise<void> {
    await this.#server?.end("SIGKILL");
    await this.hub?.close();
  }

  async beginHub(options: BrokerOptions = {}): Promise<void> {
    if (this.#server) return this.#server.begin();
    const hub = createBroker({ name: "hub", log: (level, msg) => this.logged.push(`hub ${level}: ${msg}`), ...options });
    this.hub = hub;
    const authenticate = ({ token }: { token: string | null }) =>
      token?.startsWith("host-")
        ? permissionsOf({ kind: "host", name: token.slice(5) })
        : token === "client"
          ? permissionsOf({ kind: "client", name: "c" })
          : null;
    await hub.listenTcp({ host: "127.0.0.1", port: this.#port, authenticate });
  }

  get port(): number {
    return this.#server?.leafPort ?? this.#port;
  }

  /**
   * Resolves when what `from` has subscribed to so far is known to each of `to`: interest is announced in order, and a marker is
   * announced last.
   */
  async known(from: Bus, ...to: (TestLeaf | Bus)[]): Promise<void> {
    const subject = `marker.${this.#markers++}`;
    from.subscribe(subject, ({ reply }) => reply && from.publish(reply, ""));
    await from.flush();
    for (const one of to) {
      if (one instanceof TestLeaf) await until(() => one.port.publish(subject, ""));
      else await isHeard(one, subject);
    }
  }

  /** What crossed the link of `leaf` while `act` ran, as the leaf has counted it. */
  async crossing(leaf: TestLeaf, act: () => Promise<void>): Promise<{ out: number; in: number }> {
    const before = leaf.stats;
    await act();
    const after = leaf.stats;
    return { out: after.out_msgs - before.out_msgs, in: after.in_msgs - before.in_msgs };
  }

  #dial(name: string): HubDial {
    const url = this.#server ? `nats://host:secret@127.0.0.1:${this.port}` : `nats://host-${name}@127.0.0.1:${this.port}`;
    return hubDial({ server: { kind: "url", urls: [url] } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const one of this.#open.reverse()) await one.close();
    for (const leaf of this.leaves) await leaf.close();
    await this.hub?.close();
    await this.#server?.[Symbol.asyncDispose]();
  }
}

/** nats-server has no in-process endpoint: a request that no one hears fails at once. */
async function isHeard(bus: Bus, subject: string): Promise<void> {
  for (;;) {
    const code = await bus.request(subject, "", { timeoutMs: 60_000 }).then(
      () => null,
      (error: { code: string }) => error.code,
    );
    if (code !== "host_unavailable") return;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** The broker of one host. */
export class TestLeaf {
  readonly broker: Broker;
  readonly port: ReturnType<Broker["port"]>;
  readonly #connection: HubConnection;
  readonly #open: { close(): unknown }[] = [];
  readonly #logged: string[];
  readonly #streams = new Set<CuttableStream>();
  #isCut = false;
  #isUp = false;

  constructor(name: string, dial: () => HubDial, logged: string[], options: BrokerOptions) {
    this.broker = createBroker({ name, log: (level, msg) => logged.push(`${name} ${level}: ${msg}`), ...options });
    this.port = this.broker.port();
    this.#logged = logged;
    const target = dial();
    this.#connection = new HubConnection({
      broker: this.broker,
      name,
      log: (level, msg) => logged.push(`${name} ${level}: ${msg}`),
      onChange: (isUp) => {
        this.#isUp = isUp;
      },
      dial: {
        ...target,
        stream: async (signal) => {
          if (this.#isCut) throw new Error("the link is cut");
          const stream = new CuttableStream(await target.stream(signal));
          this.#streams.add(stream);
          return stream;
        },
      },
    });
  }

  linked(): Promise<void> {
    return until(() => this.#isUp);
  }

  /** No connection to the hub can be made. */
  async cut(): Promise<void> {
    this.#isCut = true;
    for (const stream of this.#streams) stream.destroy();
    await until(() => !this.#isUp);
  }

  async heal(): Promise<void> {
    this.#isCut = false;
    await this.linked();
  }

  /** Nothing that is written from now on arrives: "lost" is swallowed, "stalled" waits for `flow`. */
  hold(how: "lost" | "stalled"): void {
    for (const stream of this.#streams) stream.hold = how;
  }

  flow(): void {
    for (const stream of this.#streams) stream.flow();
  }

  get stats(): LinkStats {
    const stats = this.broker.stats().links.find(({ name }) => name === "hub");
    if (!stats) throw new Error("no link");
    return stats;
  }

  /** A program of this host. */
  async bus(name: string): Promise<Bus> {
    const bus = await connectBus({ server: { kind: "memory", broker: this.broker }, name });
    this.#open.push(bus);
    return bus;
  }

  /** A second link of `other`, to this broker. */
  linkFrom(other: TestLeaf): HubConnection {
    const dial = hubDial({ server: { kind: "memory", broker: this.broker } });
    return new HubConnection({
      broker: other.broker,
      name: "second",
      dial,
      log: (level, msg) => this.#logged.push(`second ${level}: ${msg}`),
    });
  }

  async close(): Promise<void> {
    for (const one of this.#open.splice(0).reverse()) await one.close();
    await this.#connection.close();
    await this.broker.close();
  }
}

/** A connection that a test can disturb. */
class CuttableStream implements ByteStream {
  hold: "no" | "lost" | "stalled" = "no";
  readonly #stream: ByteStream;
  #held: Uint8Array[] = [];
  #drained = () => {};

  constructor(stream: ByteStream) {
    this.#stream = stream;
  }

  get unsent(): number {
    return this.#stream.unsent + this.#held.reduce((sum, { length }) => sum + length, 0);
  }

  write(chunks: readonly Uint8Array[]): void {
    if (this.hold === "stalled") this.#held.push(...chunks);
    else if (this.hold === "no") this.#stream.write(chunks);
  }

  flow(): void {
    this.hold = "no";
    this.#stream.write(this.#held.splice(0));
    this.#drained();
  }

  open(handlers: Parameters<ByteStream["open"]>[0]): void {
    this.#drained = handlers.drained;
    this.#stream.open(handlers);
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  end(): void {
    this.#stream.end();
  }

  destroy(): void {
    this.#stream.destroy();
  }
}
