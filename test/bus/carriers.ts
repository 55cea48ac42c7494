import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSecureContext } from "node:tls";
import { type Broker, type BrokerOptions, createBroker } from "../../src/bus/broker/broker.ts";
import { HubConnection } from "../../src/bus/broker/leaf/hub-connection.ts";
import { type BrokerPermissions, permissionsOf } from "../../src/bus/broker/permissions.ts";
import type { Bus } from "../../src/bus/client/bus.ts";
import { type BusServer, type ConnectBusOptions, connectBus } from "../../src/bus/client/connect-bus.ts";
import { hubDial } from "../../src/bus/client/hub-dial.ts";
import { makeCertificate } from "../http/certificates.ts";
import { basic, PASSWORD, Rig, USER } from "../http/rig.ts";
import { freePort } from "../support/free-port.ts";
import { NatsServer } from "../support/nats/nats-server.ts";

/** A server of the bus and a way to it. */
export interface Carrier extends AsyncDisposable {
  /** Null for nats-server. */
  readonly broker: Broker | null;
  /** How our own connections get there. */
  readonly server: BusServer;
  bus(name: string, options?: Partial<ConnectBusOptions>): Promise<Bus>;
  /** The server goes away, and comes back where it was. */
  end(): Promise<void>;
  begin(): Promise<void>;
}

export const TOKEN = "a-token-of-the-tests";
const FREE: BrokerPermissions = { user: "tester" };

abstract class Base implements Carrier {
  abstract readonly server: BusServer;
  broker: Broker | null = null;
  readonly #open: Bus[] = [];
  token: string | undefined;

  async bus(name: string, options: Partial<ConnectBusOptions> = {}): Promise<Bus> {
    const bus = await connectBus({ server: this.server, name, ...(this.token === undefined ? {} : { token: this.token }), ...options });
    this.#open.push(bus);
    return bus;
  }

  abstract begin(): Promise<void>;

  async end(): Promise<void> {
    await this.broker?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const bus of this.#open.reverse()) await bus.close();
    await this.end();
  }
}

class Memory extends Base {
  get server(): BusServer {
    if (!this.broker) throw new Error("no broker");
    return { kind: "memory", broker: this.broker };
  }

  async begin(): Promise<void> {
    this.broker = createBroker();
  }
}

class Unix extends Base {
  #folder = "";

  get server(): BusServer {
    return { kind: "unix", path: join(this.#folder, "bus.sock") };
  }

  async begin(): Promise<void> {
    if (this.#folder === "") this.#folder = await mkdtemp(join(tmpdir(), "mgr-bus-"));
    this.broker = createBroker();
    await this.broker.listenUnix(join(this.#folder, "bus.sock"));
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** With a certificate of its own if `isSecure`; everybody needs the token. */
export class Tcp extends Base {
  /** It is opened again after `end`: one that no connection of another program gets meanwhile. */
  readonly port = freePort();
  override token = TOKEN;
  #folder = "";
  readonly #isSecure: boolean;
  readonly #options: BrokerOptions;
  readonly #members: ReadonlyMap<string, BrokerPermissions>;

  constructor(isSecure = false, members: Iterable<[string, BrokerPermissions]> = [], options: BrokerOptions = {}) {
    super();
    this.#isSecure = isSecure;
    this.#members = new Map([[TOKEN, FREE], ...members]);
    this.#options = options;
  }

  get server(): BusServer {
    const tls = this.#isSecure ? { tls: { ca: readFileSync(join(this.#folder, "bus.pem"), "utf8") } } : {};
    return { kind: "url", urls: [`${this.#isSecure ? "tls" : "nats"}://127.0.0.1:${this.port}`], ...tls };
  }

  async begin(): Promise<void> {
    if (this.#folder === "") {
      this.#folder = await mkdtemp(join(tmpdir(), "mgr-bus-"));
      if (this.#isSecure) makeCertificate(this.#folder, "bus");
    }
    const read = (name: string) => readFileSync(join(this.#folder, name));
    this.broker = createBroker(this.#options);
    await this.broker.listenTcp({
      host: "127.0.0.1",
      port: this.port,
      authenticate: async ({ token, user, pass }) => this.#members.get(token ?? `${user}:${pass}`) ?? null,
      secureContext: this.#isSecure ? () => createSecureContext({ cert: read("bus.pem"), key: read("bus.key") }) : undefined,
    });
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** The one port, `/mgr/bus`, as a web user. */
export class Web extends Base {
  #rig: Rig | null = null;
  /** As that of `Tcp`. */
  readonly #port = freePort();
  readonly #members: ReadonlyMap<string, BrokerPermissions>;

  /** Besides the web user: tokens, and whose they are. */
  constructor(members: Iterable<[string, BrokerPermissions]> = []) {
    super();
    this.#members = new Map([[TOKEN, permissionsOf({ kind: "host", name: "far" })], ...members]);
  }

  get server(): BusServer {
    return { kind: "url", urls: [`ws://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${this.#port}`] };
  }

  get rig(): Rig {
    if (!this.#rig) throw new Error("no port");
    return this.#rig;
  }

  async begin(): Promise<void> {
    const broker = createBroker();
    this.broker = broker;
    const bus = {
      otherAddress: null,
      stats: () => broker.stats(),
      report: async () => ({}),
      permissionsOf: (token: string) => this.#members.get(token) ?? null,
      permissionsOfUser: () => FREE,
      accept: (...accepted: Parameters<Broker["accept"]>) => broker.accept(...accepted),
    };
    const listen = { host: "127.0.0.1", port: this.#port };
    if (this.#rig) await this.#rig.listen({ bus, listen });
    else this.#rig = await Rig.start({ bus, listen });
  }

  /** Headers of a web user. */
  get headers(): Record<string, string> {
    return { Authorization: basic(USER, PASSWORD) };
  }

  override async end(): Promise<void> {
    await super.end();
    await this.#rig?.close();
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    if (this.#rig) await rm(this.#rig.folder, { recursive: true, force: true });
  }
}

class External extends Base {
  #server: NatsServer | null = null;

  get server(): BusServer {
    return { kind: "url", urls: [this.#server?.url ?? ""] };
  }

  async begin(): Promise<void> {
    if (this.#server) await this.#server.begin();
    else this.#server = await NatsServer.start();
  }

  override async end(): Promise<void> {
    await this.#server?.end("SIGTERM");
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    await this.#server?.[Symbol.asyncDispose]();
  }
}

/** The broker of a host that is linked to a hub. */
class Leaf extends Unix {
  #hub: Broker | null = null;
  #link: HubConnection | null = null;

  override async begin(): Promise<void> {
    await super.begin();
    if (this.broker === null) throw new Error("no broker");
    this.#hub = createBroker();
    const linked = new Promise<void>((resolve) => {
      if (this.broker === null || this.#hub === null) throw new Error("no broker");
      const dial = hubDial({ server: { kind: "memory", broker: this.#hub } });
      this.#link = new HubConnection({ broker: this.broker, name: "leaf", dial, log: () => {}, onChange: (isUp) => isUp && resolve() });
    });
    await linked;
  }

  override async end(): Promise<void> {
    await this.#link?.close();
    await super.end();
    await this.#hub?.close();
  }
}

const KINDS = {
  "in process": () => new Memory(),
  "a unix socket": () => new Unix(),
  TCP: () => new Tcp(),
  "TCP with TLS": () => new Tcp(true),
  "a WebSocket": () => new Web(),
  "a leaf": () => new Leaf(),
  "nats-server": () => new External(),
} as const;

export type CarrierName = keyof typeof KINDS;
export const CARRIERS = Object.keys(KINDS) as CarrierName[];

export async function openCarrier(name: CarrierName): Promise<Carrier> {
  const carrier = KINDS[name]();
  await carrier.begin();
  return carrier;
}
