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
  const tcpLinks: TcpLink[] = [];
  const past = new Map(before.peers.map((peer) => [peerKey(peer), peer]));
  for (const now of after.peers) {
    const old = past.get(peerKey(now));
    const of = (key: Count) => perSecond((key.startsWith("segments") ? kernelIncrease : increase)(old?.[key] ?? 0, now[key]), milliseconds);
    const { kind, name } = now;
    if (kind !== "daemon") {
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
      continue;
    }
    const span = spans.get(name);
    if (span === undefined) continue;
    const { sent, received, out, in: into, retransmits, rtt_us } = socketsOf(span);
    sums.add(
      { from: manager, to: name },
      { kind, name },
      { packets: of("segments_out"), bytes: of("written") },
      { packets: into, bytes: received },
    );
    sums.add({ from: name, to: manager }, { kind, name }, { packets: out, bytes: sent }, { packets: of("segments_in"), bytes: of("read") });
    const milli = (us: number | null) => (us === null ? null : us / 1_000);
    const ends = { name: "daemon", age: 0 };
    tcpLinks.push({
      ...ends,
      from_host: manager,
      to_host: name,
      rtt_ms: milli(now.rtt_us),
      packets_s: of("segments_out"),
      retransmits_s: of("retransmits"),
    });
    tcpLinks.push({ ...ends, from_host: name, to_host: manager, rtt_ms: milli(rtt_us), packets_s: out, retransmits_s: retransmits });
  }
  addForwards(interval, sums, manager);
  return tcpLinks;
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
