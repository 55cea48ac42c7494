import type { NetworkStats } from "../wire.ts";
import { addConnections } from "./connection-links.ts";
import { addDaemons } from "./daemon-links.ts";
import { hostRows } from "./host-rows.ts";
import { LinkSums } from "./link-sum.ts";
import { type Reading, Span } from "./reading.ts";
import type { Sample } from "./sample.ts";
import { addServices } from "./service-links.ts";
import { addTopics, type Interval, type Shortfall } from "./topic-links.ts";

interface Place {
  /** Canonical name of the manager's host. */
  readonly manager: string;
  /** Returns the host with this address, or the address. */
  readonly hostOf: (address: string) => string;
  /** Returns the name of the network of an address. */
  readonly networkOf: (cidr: string) => string | null;
}

interface Measured {
  readonly stats: Pick<NetworkStats, "links" | "interfaces" | "tcp_links" | "udp">;
  readonly shortfalls: readonly Shortfall[];
  /** Hosts that answered both times. */
  readonly hosts: ReadonlySet<string>;
}

/** Computes the traffic between two samples. */
export function measure(before: Sample, after: Sample, place: Place): Measured {
  const spans = new Map<string | null, Span>();
  const hosts = new Set<string>();
  const add = (end: string | null, old: Reading | null | undefined, now: Reading | null) => {
    if (!old || now === null || old.life !== now.life || now.first.at <= old.first.at) return;
    spans.set(end, new Span(old, now));
    if (end !== null) hosts.add(end);
  };
  for (const [host, reading] of after.hosts) add(host, before.hosts.get(host), reading);
  add(null, before.hub, after.hub);
  const interval: Interval = { before, after, spans };
  const sums = new LinkSums();
  const daemons = addDaemons(interval, sums, place.manager);
  const shortfalls = [
    ...addTopics(interval, sums),
    ...addServices(interval, sums, place.manager),
    ...addConnections(interval, sums, place),
    ...daemons.shortfalls,
  ];
  const rows = [...hosts].flatMap((host) => {
    const span = spans.get(host);
    return span === undefined ? [] : hostRows(host, span, place.networkOf);
  });
  const stats = {
    links: sums.links(),
    interfaces: rows.flatMap(({ interfaces }) => interfaces),
    tcp_links: daemons.tcpLinks,
    udp: rows.flatMap(({ udp }) => udp ?? []),
  };
  return { stats, shortfalls, hosts };
}
