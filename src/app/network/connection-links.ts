import type { PeerTraffic } from "../../bus/carriers/peer-traffic.ts";
import type { NetworkStats } from "../../protocol/resources/resources.ts";
import { increase, kernelIncrease, perSecond } from "./increase.ts";
import type { LinkSums } from "./link-sum.ts";
import { grown, type Span } from "./reading.ts";
import type { Interval } from "./topic-links.ts";

type TcpLink = NetworkStats["tcp_links"][number];
type Count = Exclude<keyof PeerTraffic, "peer" | "kind" | "name" | "rtt_us">;

interface Place {
  /** Canonical name of the manager's host. */
  readonly manager: string;
  /** The host with this address, or the address. */
  readonly hostOf: (address: string) => string;
}

/** Connections that end at the manager: of browsers, GUIs, clients and daemons; and those that it made through other hosts. */
export function addConnections(interval: Interval, sums: LinkSums, { manager, hostOf }: Place): TcpLink[] {
  const { before, after, spans } = interval;
  const milliseconds = after.at - before.at;
  const past = new Map(before.peers.map((peer) => [peerKey(peer), peer]));
  const daemons = new Map<string, { rates: ((key: Count) => number)[]; rtt_us: number | null }>();
  for (const now of after.peers) {
    const old = past.get(peerKey(now));
    const of = (key: Count) => perSecond((key.startsWith("segments") ? kernelIncrease : increase)(old?.[key] ?? 0, now[key]), milliseconds);
    const { kind, name } = now;
    if (kind === "daemon") {
      const { rates, rtt_us } = daemons.get(name) ?? { rates: [], rtt_us: null };
      daemons.set(name, { rates: [...rates, of], rtt_us: now.rtt_us === null ? rtt_us : Math.max(rtt_us ?? 0, now.rtt_us) });
      continue;
    }
    if (of("written") + of("read") === 0) continue;
    const peer = hostOf(now.peer);
    // The peer counts nothing for us: what its kernel has acknowledged is what it has received.
    sums.add(
      { from: manager, to: peer },
      { kind, name },
      { packets: of("segments_out"), bytes: of("written") },
      { packets: of("segments_delivered"), bytes: of("acknowledged") },
    );
    sums.add(
      { from: peer, to: manager },
      { kind, name },
      // How many segments the peer sent is not known: no counter stands for both ends.
      { packets: 0, bytes: of("received") },
      { packets: of("segments_in"), bytes: of("read") },
    );
  }
  // A daemon counts all of its connections together, and may have connected from several addresses.
  const tcpLinks = [...daemons].flatMap(([name, { rates, rtt_us }]) => {
    const span = spans.get(name);
    const own = (key: Count) => rates.reduce((sum, of) => sum + of(key), 0);
    return span === undefined ? [] : addDaemon({ name, manager, own, rtt_us }, socketsOf(span), sums);
  });
  addForwards(interval, sums, manager);
  return tcpLinks;
}

interface DaemonEnds {
  readonly name: string;
  readonly manager: string;
  /** What the manager has counted, a second. */
  readonly own: (key: Count) => number;
  readonly rtt_us: number | null;
}

/** The connections of one daemon, in both directions. */
function addDaemon({ name, manager, own, rtt_us }: DaemonEnds, theirs: ReturnType<typeof socketsOf>, sums: LinkSums): TcpLink[] {
  const child = { kind: "daemon", name } as const;
  sums.add(
    { from: manager, to: name },
    child,
    { packets: own("segments_out"), bytes: own("written") },
    { packets: theirs.in, bytes: theirs.received },
  );
  sums.add(
    { from: name, to: manager },
    child,
    { packets: theirs.out, bytes: theirs.sent },
    { packets: own("segments_in"), bytes: own("read") },
  );
  const ends = { name: "daemon", age: 0 };
  return [
    {
      ...ends,
      from_host: manager,
      to_host: name,
      rtt_ms: milliOf(rtt_us),
      packets_s: own("segments_out"),
      retransmits_s: own("retransmits"),
    },
    {
      ...ends,
      from_host: name,
      to_host: manager,
      rtt_ms: milliOf(theirs.rtt_us),
      packets_s: theirs.out,
      retransmits_s: theirs.retransmits,
    },
  ];
}

function milliOf(us: number | null): number | null {
  return us === null ? null : us / 1_000;
}

/** Of a daemon's connections to the bus, a second. */
function socketsOf(span: Span) {
  const { measured } = span;
  const sum = { sent: 0, received: 0, out: 0, in: 0, retransmits: 0, rtt_us: null as number | null };
  for (const { local, peer, rtt_us } of measured.after.all("link_socket")) {
    const of = (field: "sent" | "received" | "data_segments_out" | "data_segments_in" | "retransmits") =>
      perSecond(grown(measured, "link_socket", `${local} ${peer}`, field), measured.milliseconds);
    sum.sent += of("sent");
    sum.received += of("received");
    sum.out += of("data_segments_out");
    sum.in += of("data_segments_in");
    sum.retransmits += of("retransmits");
    sum.rtt_us = Math.max(sum.rtt_us ?? 0, rtt_us);
  }
  return sum;
}

function addForwards({ before, after, spans }: Interval, sums: LinkSums, manager: string): void {
  const milliseconds = after.at - before.at;
  for (const [host, forwards] of after.forwards) {
    const measured = spans.get(host)?.measured;
    if (measured === undefined || host === manager) continue;
    for (const { target, written, received } of forwards) {
      const old = before.forwards.get(host)?.find((one) => one.target === target);
      const own = { written: increase(old?.written ?? 0, written), received: increase(old?.received ?? 0, received) };
      const there = (field: "sent" | "received") => perSecond(grown(measured, "forward", target, field), measured.milliseconds);
      const child = { kind: "tcp_forward", name: target } as const;
      // A stream has no packets.
      const bytes = (count: number) => ({ packets: 0, bytes: count });
      if (own.written + own.received + there("sent") + there("received") === 0) continue;
      sums.add({ from: manager, to: host }, child, bytes(perSecond(own.written, milliseconds)), bytes(there("received")));
      sums.add({ from: host, to: manager }, child, bytes(there("sent")), bytes(perSecond(own.received, milliseconds)));
    }
  }
}

function peerKey({ peer, kind, name }: PeerTraffic): string {
  return JSON.stringify([peer, kind, name]);
}
