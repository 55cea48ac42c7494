import type { NatsConnection } from "@nats-io/nats-core";
import { expect } from "vitest";
import type { DomainEvent } from "../../../../src/actors/domain-events.ts";
import { Engine } from "../../../../src/app/engine.ts";
import type { OpenedFeature } from "../../../../src/app/feature.ts";
import { systemClock } from "../../../../src/base/timing/clock.ts";
import { type Broker, createBroker } from "../../../../src/bus/broker/broker.ts";
import { permissionsOf } from "../../../../src/bus/broker/permissions.ts";
import type { Bus } from "../../../../src/bus/client/bus.ts";
import { connectBus } from "../../../../src/bus/client/connect-bus.ts";
import { Registry } from "../../../../src/bus/registry/registry.ts";
import { loadConfigObject } from "../../../../src/config/load/load.ts";
import type { HostLink, HostListener } from "../../../../src/contract/host-link.ts";
import { noBusFiles } from "../../../../src/daemon/bus/bus-files.ts";
import { HostBus } from "../../../../src/daemon/bus/host-bus.ts";
import { Host } from "../../../../src/daemon/host.ts";
import { dataPlane } from "../../../../src/features/data-plane/manager/index.ts";
import { checkedDefinition } from "../../../../src/features/data-plane/samples/checked-definition.ts";
import { LogBook } from "../../../../src/log/log-book.ts";
import { Intents } from "../../../app/support/engines.ts";
import { register } from "../../../bus/registry/registry-rig.ts";

const silent = () => {};

/** A host with a broker, and a link to it that can be cut. */
class HostWithBus {
  readonly host: Host;
  readonly bus: HostBus;
  readonly link: HostLink;
  /** Events of the data plane are lost. */
  isDeaf = false;
  #isCut = false;

  static async open(name: string): Promise<HostWithBus> {
    return new HostWithBus(name, await HostBus.open({ host: name, files: noBusFiles(), log: silent }));
  }

  private constructor(name: string, bus: HostBus) {
    this.bus = bus;
    this.host = new Host({ host: name, subreaper: false, log: silent, bus });
    const { host } = this;
    this.link = {
      host: name,
      request: async (request, body) => {
        if (this.#isCut) throw new Error("the link is cut");
        return host.request(request, body);
      },
      window: silent,
      heartbeat: (session) => void (this.#isCut || host.heartbeat(session)),
      listen: (listener) => host.listen(this.#unlessCut(listener)),
      close: async () => {},
    };
  }

  cut(isCut: boolean): void {
    this.#isCut = isCut;
    if (!isCut) this.host.announce();
  }

  async close(): Promise<void> {
    await this.host.close();
    await this.bus.close();
  }

  #unlessCut(listener: HostListener): HostListener {
    return {
      onHeartbeat: (heartbeat) => void (this.#isCut || listener.onHeartbeat?.(heartbeat)),
      onEvent: (event) => void (this.#isCut || listener.onEvent?.(event)),
      onNews: { data_plane: (event) => void (this.#isCut || this.isDeaf || listener.onNews?.data_plane?.(event)) },
    };
  }
}

interface RigOptions {
  /** Default: all of them, which keep nothing. */
  features?: readonly OpenedFeature[];
  /** `loggers` of the configuration, read again by a reload. */
  loggers?: object;
}

/** A manager with two hosts that have brokers, and a broker of its own. */
export class DataPlaneRig {
  readonly log = new LogBook({ capacity: 1_000, now: Date.now });
  readonly events: DomainEvent[] = [];
  readonly hub: Broker;
  readonly hubPort: number;
  readonly one: HostWithBus;
  readonly two: HostWithBus;
  readonly engine: Engine;
  readonly #manager: Promise<Bus>;
  readonly #open: NatsConnection[] = [];
  readonly #options: RigOptions;

  static async start(options: RigOptions = {}): Promise<DataPlaneRig> {
    const registry = new Registry({
      host: "one",
      server: "hub",
      place: () => ({ port: 0, unix_socket: null }),
      log: silent,
      checkDefinition: async () => checkedDefinition,
    });
    const hub = createBroker({ hooks: registry });
    const authenticate = () => permissionsOf({ kind: "client", name: "@ada" });
    const port = await hub.listenTcp({ host: "127.0.0.1", port: 0, authenticate });
    const rig = new DataPlaneRig({
      hub,
      port,
      registry,
      options,
      one: await HostWithBus.open("one"),
      two: await HostWithBus.open("two"),
    });
    rig.one.host.announce();
    rig.two.host.announce();
    await expect.poll(() => rig.engine.control.state.hosts().map(({ state }) => state)).toEqual(["ready", "ready"]);
    return rig;
  }

  private constructor(parts: {
    hub: Broker;
    port: number;
    registry: Registry;
    one: HostWithBus;
    two: HostWithBus;
    options: RigOptions;
  }) {
    this.#options = parts.options;
    this.hub = parts.hub;
    this.hubPort = parts.port;
    this.one = parts.one;
    this.two = parts.two;
    this.#manager = connectBus({ server: { kind: "memory", broker: this.hub }, name: "manager" });
    this.engine = this.manager(parts.registry);
    this.engine.events.subscribe((event) => void this.events.push(event));
  }

  manager(clients: Registry, epoch = 1): Engine {
    return new Engine({
      config: this.#config(),
      loadConfig: async () => this.#config(),
      clock: systemClock,
      log: this.log,
      intents: new Intents(),
      epoch,
      link: this.one.link,
      connectHost: () => this.two.link,
      features: this.#options.features,
      bus: {
        registry: clients,
        hub: { broker: this.hub },
        // As if the daemon of `two` was connected from another machine.
        peers: { totals: () => [], addressOf: ({ name }) => (name === "two" ? "10.0.0.7" : undefined) },
        shared: this.#manager,
        connectUser: (user) =>
          connectBus({
            server: { kind: "memory", broker: this.hub, permissions: permissionsOf({ kind: "client", name: `@${user}` }) },
            name: user,
          }),
      },
    });
  }

  #config() {
    const { loggers = {} } = this.#options;
    return loadConfigObject(
      { hosts: { two: { token_file: "two.token" } }, loggers, processes: {} },
      { base_dir: "/", state_dir: "/nowhere" },
    );
  }

  get dataPlane() {
    return this.engine.feature(dataPlane);
  }

  /** By the project's own connection: that of the library would take the place of its transport. */
  async connect(host: HostWithBus | "hub", name: string): Promise<NatsConnection> {
    const url = host === "hub" ? `nats://token@127.0.0.1:${this.hubPort}` : host.bus.localUrl;
    const { connection } = await connectBus({ server: { kind: "url", urls: [url] }, name, waitForBroker: false });
    this.#open.push(connection);
    return connection;
  }

  async client(host: HostWithBus | "hub", name: string, topics: readonly string[] = []): Promise<NatsConnection> {
    const connection = await this.connect(host, name);
    const about = { name, topics: topics.map((topic) => ({ name: topic, encoding: "raw" })) };
    expect(await register(connection, about)).toMatchObject({ ok: true });
    return connection;
  }

  subscriptionsTo(subject: string): number {
    return this.hub.subjects().find((known) => known.subject === subject)?.subscribers ?? 0;
  }

  /** Resolves when what the manager has subscribed to so far is in place. */
  async subscribed(): Promise<void> {
    await (await this.#manager).flush();
  }

  topic(name: string) {
    return this.dataPlane.topics().find((topic) => topic.name === name);
  }

  clientNamed(name: string) {
    return this.dataPlane.clients().find((client) => client.name === name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const connection of this.#open) await connection.close();
    this.engine.close();
    await (await this.#manager).close();
    await this.one.close();
    await this.two.close();
    await this.hub.close();
  }
}
