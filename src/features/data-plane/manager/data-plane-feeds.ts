import { isIPv6 } from "node:net";
import type { DomainEvents } from "../../../actors/domain-events.ts";
import type { HostTable } from "../../../app/hosts/host-table.ts";
import { TableReplica } from "../../../app/hosts/table-replica.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import type { PeerTrafficBook } from "../../../bus/carriers/peer-traffic.ts";
import type { Registry } from "../../../bus/registry/registry.ts";
import { type RegistryChange, registryChange } from "../../../contract/registry.ts";
import type { LogBook } from "../../../log/log-book.ts";
import type { HostEntry } from "../../../protocol/resources/resources.ts";
import type { DataPlaneEvent } from "../contract.ts";
import type { BrokerTables } from "./broker-tables.ts";
import type { ClientIds } from "./client-ids.ts";
import { DataPlaneTables } from "./data-plane-tables.ts";

export interface DataPlaneFeedsOptions {
  readonly events: DomainEvents;
  readonly log: LogBook;
  readonly clock: Clock;
  readonly ids: ClientIds;
  readonly hosts: HostTable;
  readonly hostEntries: () => HostEntry[];
  /** Registry of the manager's own broker; null: there is none. */
  readonly registry: Registry | null;
  /** The manager's own connections; null: it has none. */
  readonly peers: Pick<PeerTrafficBook, "addressOf"> | null;
}

interface HostFeed {
  readonly replica: TableReplica<DataPlaneEvent, RegistryChange>;
  readonly close: () => void;
  isReady: boolean;
}

/** Fills the tables of clients, topics and services from the reports of all hosts and from the manager's own broker. */
export class DataPlaneFeeds {
  readonly #options: DataPlaneFeedsOptions;
  readonly tables: DataPlaneTables;
  readonly #feeds = new Map<string, HostFeed>();
  readonly #unsubscribers: (() => void)[];

  constructor(options: DataPlaneFeedsOptions) {
    this.#options = options;
    const { events, log, ids, registry } = options;
    this.tables = new DataPlaneTables({
      ids,
      events,
      log,
      hostOfAddress: (address) => this.#hostOfAddress(address),
      // The daemon of this machine has no connection over the network.
      addressOfHost: (name) => options.peers?.addressOf({ kind: "daemon", name }) ?? "127.0.0.1",
      lose: (broker, topics) => this.#lose(broker, topics),
    });
    this.#unsubscribers = [
      events.subscribe((event) => {
        if (event.type === "host_upsert") this.#hostChanged(event.host);
        else if (event.type === "host_remove") this.#hostRemoved(event.name);
      }),
    ];
    if (registry === null) return;
    const { clients, topics, services } = registry.tables();
    const rows: RegistryChange[] = [
      ...clients.map((client) => ({ kind: "client" as const, client })),
      ...topics.map((topic) => ({ kind: "topic" as const, topic })),
      ...services.map((service) => ({ kind: "service" as const, service })),
    ];
    this.tables.replace(null, "hub", rows);
    this.#unsubscribers.push(registry.listen((changes) => this.tables.apply(null, changes)));
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribers) unsubscribe();
    for (const feed of this.#feeds.values()) feed.close();
  }

  #hostChanged({ name, state }: HostEntry): void {
    const known = this.#feeds.get(name) ?? this.#follow(name);
    if (known === null) return;
    const wasReady = known.isReady;
    known.isReady = state === "ready";
    if (known.isReady && !wasReady) known.replica.begin();
    else if (state === "lost") this.tables.lost(name);
    else if (state === "died") this.tables.remove(name);
  }

  #follow(host: string): HostFeed | null {
    const session = this.#options.hosts.session(host);
    if (session === null) return null;
    const replica = new TableReplica<DataPlaneEvent, RegistryChange>({
      session,
      clock: this.#options.clock,
      requestTable: (request) => session.link.request("data_plane", request),
      rows: registryChange.array(),
      changed: ({ changes }) => this.tables.apply(host, changes),
      replaced: (rows, life) => this.tables.replace(host, life, rows),
    });
    const unsubscribe = session.link.listen({
      onNews: { data_plane: (event) => replica.receive(event) },
      onHeartbeat: (heartbeat) => replica.compare(heartbeat, heartbeat.data_seq),
    });
    const close = () => {
      unsubscribe();
      replica.close();
    };
    const feed = { replica, close, isReady: false };
    this.#feeds.set(host, feed);
    return feed;
  }

  #hostRemoved(host: string): void {
    this.#feeds.get(host)?.close();
    this.#feeds.delete(host);
    this.tables.remove(host);
  }

  #lose(broker: BrokerTables, topics: ReadonlyMap<string, string>): void {
    if (broker.host === null) {
      this.#options.registry?.loseTopics(topics);
      return;
    }
    const session = this.#options.hosts.session(broker.host);
    if (!session?.isOpen) return;
    const list = [...topics].map(([subject, message]) => ({ subject, message }));
    // A failed request is repeated after the host's next tables.
    session.command((id) => session.link.request("lose_topics", { session: id, topics: list })).catch(() => undefined);
  }

  /** The host that has the address as one of its names, else the IP; loopback addresses belong to this machine. */
  #hostOfAddress(address: string): string {
    // An IPv6 address without a port must keep its end.
    const ip = isIPv6(address) ? address : address.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
    const searched = ip === "" || ip === "::1" || ip.startsWith("127.") ? "localhost" : ip;
    return this.#options.hostEntries().find(({ all_names }) => all_names.includes(searched))?.name ?? ip;
  }
}
