import { readFileSync } from "node:fs";
import { everyBeat } from "../../base/timing/clock.ts";
import { type Broker, createBroker } from "../../bus/broker/broker.ts";
import type { BrokerPermissions, Credentials } from "../../bus/broker/permissions.ts";
import { defaultMemoryBytes, MemoryBudget } from "../../bus/broker/queues/memory-budget.ts";
import { busUrl, placeOf } from "../../bus/carriers/bus-url.ts";
import { PeerTrafficBook } from "../../bus/carriers/peer-traffic.ts";
import { tuneSockets } from "../../bus/carriers/socket-tuning.ts";
import type { Bus } from "../../bus/client/bus.ts";
import { type ConnectBusOptions, connectBus } from "../../bus/client/connect-bus.ts";
import { LocalBus } from "../../bus/client/local-bus.ts";
import { answerReports, collectReports } from "../../bus/host-link/member-reports.ts";
import { Registry } from "../../bus/registry/registry.ts";
import type { InstanceSettings } from "../../config/definition.ts";
import { localHostName } from "../../config/host-names.ts";
import type { HostSetting } from "../../config/hosts.ts";
import { limitUnsent, unsentBytes } from "../../daemon/native/socket-options.ts";
import { tcpInfo } from "../../daemon/native/tcp-info.ts";
import { FEATURE_CHECKS } from "../../features/contract.ts";
import type { HttpServer } from "../../http/index.ts";
import type { BusUpgrade } from "../../http/server/bus-upgrade.ts";
import { Certificate } from "../../http/server/certificate.ts";
import type { LogBook } from "../../log/log-book.ts";
import { readPem } from "./bus-settings.ts";
import { BusTokens, type RefusedDaemon } from "./bus-tokens.ts";
import { NO_OWNERS, permissionsOfUser, programOfUser, type SubjectOwners } from "./user-permissions.ts";

/** Time for clients to find another server at shutdown, milliseconds. */
const RETIRE_MS = 200;
/** Ping interval: a client that does not answer is disconnected within three of these, milliseconds. */
const PING_MS = 2_000;
/** Interval at which the permissions of connected clients are checked again, milliseconds. */
const REVALIDATION_MS = 2_000;

interface ManagerBusOptions {
  readonly instance: InstanceSettings;
  /** Hosts of the current configuration. */
  readonly hosts: () => ReadonlyMap<string, HostSetting>;
  /** Whether the manager still manages this host, which the configuration may no longer name. */
  readonly isManaged: (host: string) => boolean;
  readonly onRefused?: (daemon: RefusedDaemon) => void;
  readonly log: LogBook;
}

interface ManagerBusParts extends ManagerBusOptions {
  readonly broker: Broker;
  readonly registry: Registry;
  readonly local: Bus;
  /** Port on which the broker listens; 0 until it does. */
  readonly place: { port: number };
}

/** Opens the bus of a manager, at first for the manager itself only. */
export async function openManagerBus(options: ManagerBusOptions): Promise<ManagerBus> {
  const warn = (level: "info" | "warning" | "error", msg: string) => void options.log.append({ level, source: "bus", msg });
  const place = { port: 0 };
  const registry = new Registry({
    host: localHostName(),
    server: "hub",
    place: () => ({ ...place, unix_socket: null }),
    log: warn,
    ...FEATURE_CHECKS,
  });
  const { name, bus_max_payload: maxPayload, bus_memory } = options.instance;
  const memory = new MemoryBudget(warn, bus_memory ?? defaultMemoryBytes());
  const broker = createBroker({ name, log: warn, hooks: registry, pingIntervalMs: PING_MS, maxPayload, memory });
  tuneSockets({ limitUnsent, unsentBytes });
  const local = await connectBus({ server: { kind: "memory", broker }, name: "manager", log: warn });
  return new ManagerBus({ ...options, broker, registry, place, local });
}

/**
 * The broker, the manager's own connections, and the check of credentials. Remote hosts and clients connect to the
 * broker too, or to the servers of `instance.bus`; the local daemon always connects to the broker.
 */
export class ManagerBus {
  readonly broker: Broker;
  /** Counts the bytes of the manager's connections. */
  readonly peers = new PeerTrafficBook(tcpInfo);
  /** Programs that connect to this broker instead of their host's. */
  readonly registry: Registry;
  /** Tokens of the daemons of other hosts. */
  readonly tokens: BusTokens;
  /** The manager's client of its own broker. */
  readonly local: Bus;
  /** The bus for the local host, which sends a lot of output. */
  readonly localHosts: LocalBus;
  /** The bus for remote hosts and clients: resolves once their server has been reached, which may never happen. Rejects at shutdown. */
  readonly shared: Promise<Bus>;
  /** Handles upgrades of `/mgr/bus`. */
  readonly busUpgrade: BusUpgrade;
  readonly #options: ManagerBusParts;
  #owners = NO_OWNERS;
  readonly #end = new AbortController();
  readonly #endValidation: () => void;

  constructor(options: ManagerBusParts) {
    const { broker, registry, local, instance, hosts, isManaged, onRefused } = options;
    this.#options = options;
    this.broker = broker;
    this.registry = registry;
    this.local = local;
    this.localHosts = new LocalBus(broker);
    this.tokens = new BusTokens({ hosts, isManaged, onRefused, warn: (msg) => this.#log("warning", msg) });
    this.tokens.renew();
    this.shared = instance.bus.length === 0 ? Promise.resolve(local) : this.#connect();
    // Callers that need it handle the rejection; there may be none.
    this.shared.catch(() => {});
    this.busUpgrade = {
      otherAddress: instance.bus.length === 0 ? null : instance.bus.map(withoutSecret).join(", "),
      permissionsOf: (token) => this.tokens.permissionsOf(token),
      permissionsOfUser: (user, grants) => permissionsOfUser(user, grants, () => this.#owners),
      accept: (stream, accepted) => broker.accept(stream, accepted),
      stats: () => broker.stats(),
      report: () => this.#report(),
    };
    void this.shared.then(answerReports, () => {});
    this.#endValidation = everyBeat(REVALIDATION_MS, () => broker.revalidate());
  }

  /**
   * Serves plain NATS over TCP on the address `instance.bus_listen`, with TLS if it is reachable from outside and there is a certificate. Resolves
   * with the port; null: no address is configured. Rejects with `conflict` when the address is not available.
   */
  async listen(http: Pick<HttpServer, "admitUser">): Promise<number | null> {
    const { bus_listen } = this.#options.instance;
    if (bus_listen === null) return null;
    const { host, port } = bus_listen;
    const certificate = isLoopback(host) ? null : this.#certificate();
    const bound = await this.broker.listenTcp({
      host,
      port,
      authenticate: (credentials, address) => this.#authenticate(credentials, address, http),
      accepted: (socket) => this.peers.follow(socket, { kind: "client", name: "bus" }),
      secureContext: certificate ? () => certificate.context() : undefined,
    });
    this.#options.place.port = bound;
    if (!certificate && !isLoopback(host))
      this.#log("warning", `the bus port ${bound} can be reached from outside without TLS: set instance.webui_https_cert_file`);
    const place = host === "" ? "*" : host.includes(":") ? `[${host}]` : host;
    this.#log("info", `clients reach the bus at ${certificate ? "tls" : "nats"}://${place}:${bound}`);
    return bound;
  }

  /** Takes over which processes the subjects belong to: users with roles on some processes reach these subjects only. */
  declareOwners(owners: SubjectOwners): void {
    this.#owners = owners;
  }

  /** A new connection to the server that clients use, with the rights of a web user. */
  connectUser(user: string): Promise<Bus> {
    const { broker } = this;
    const name = `@${user}`;
    if (this.busUpgrade.otherAddress !== null) return this.#connect(name);
    const log = (level: "info" | "warning" | "error", msg: string) => this.#log(level, msg);
    return connectBus({ server: { kind: "memory", broker, permissions: programOfUser(user) }, name, log });
  }

  /** Disconnects clients while the port is still open. */
  retire(): Promise<void> {
    return this.broker.retire(RETIRE_MS);
  }

  async close(): Promise<void> {
    this.#endValidation();
    this.#end.abort();
    const shared = await this.shared.catch(() => this.local);
    if (shared !== this.local) await shared.close();
    await this.local.close();
    this.localHosts.close();
    await this.broker.close();
  }

  /** The broker's report and, for an external server, the reports of the members. */
  async #report(): Promise<object> {
    const { broker, busUpgrade, local } = this;
    const { clients: connections, links, ...totals } = broker.stats();
    const own = { totals, connections, links, subjects: broker.subjects() };
    if (busUpgrade.otherAddress === null) return { server: null, ...own, members: [] };
    const shared = await Promise.race([this.shared, Promise.resolve(local)]);
    const members = shared === local || !shared.isConnected ? [] : await collectReports(shared);
    return { server: busUpgrade.otherAddress, ...own, members };
  }

  async #authenticate(
    { token, user, pass }: Credentials,
    address: string,
    http: Pick<HttpServer, "admitUser">,
  ): Promise<BrokerPermissions | null> {
    // Some libraries always send the part before the @ of an address as the user.
    const secret = token ?? (pass === null || pass === "" ? user : null);
    if (secret !== null) return this.tokens.permissionsOf(secret);
    if (user === null || pass === null) return null;
    const admission = await http.admitUser(user, pass, address);
    const permissions = admission && this.busUpgrade.permissionsOfUser(user, admission.grants);
    return permissions && { ...permissions, isValid: () => admission.isValid() };
  }

  #connect(name = `manager ${this.#options.instance.name}`): Promise<Bus> {
    const { instance } = this.#options;
    const { bus: urls, bus_credentials_file: credentials } = instance;
    let shown: string | null | undefined;
    const options: ConnectBusOptions = {
      server: { kind: "url", urls, tls: tlsOf(instance) },
      name,
      signal: this.#end.signal,
      log: (level, msg) => this.#log(level, msg),
      ...(credentials === null ? {} : { credentials: () => readFileSync(credentials) }),
      onAttempt: (problem, place) => {
        // There are ten attempts a second: each new reason is logged once.
        if (problem === shown) return;
        shown = problem;
        if (problem === null) this.#log("info", `the bus server ${place} was reached`);
        else this.#log("warning", `the bus server ${place} cannot be reached, remote hosts and clients are cut off: ${problem}; retrying`);
      },
    };
    return connectBus(options);
  }

  #certificate(): Certificate | null {
    const { webui_https_cert_file: certFile, webui_https_key_file: keyFile } = this.#options.instance;
    return certFile === null ? null : new Certificate({ certFile, keyFile }, (level, msg) => this.#log(level, msg));
  }

  #log(level: "debug" | "info" | "warning" | "error", msg: string): void {
    this.#options.log.append({ level, source: "bus", msg });
  }
}

/** Rejects with `bad_field` for unreadable files, at startup instead of at the first connection. */
function tlsOf({ bus_ca_file, bus_cert_file, bus_key_file }: InstanceSettings) {
  return {
    ...(bus_ca_file === null ? {} : { ca: readPem("bus_ca_file", bus_ca_file) }),
    ...(bus_cert_file === null ? {} : { cert: readPem("bus_cert_file", bus_cert_file) }),
    ...(bus_key_file === null ? {} : { key: readPem("bus_key_file", bus_key_file) }),
  };
}

function withoutSecret(text: string): string {
  return placeOf(busUrl(text));
}

function isLoopback(host: string): boolean {
  return host.toLowerCase() === "localhost" || host === "::1" || /^127\./.test(host);
}
