import type { PeerTraffic } from "../../../bus/carriers/peer-traffic.ts";
import { increase, kernelIncrease, perSecond } from "../increase.ts";
import type { LinkSums } from "./link-sum.ts";
import { grown } from "./reading.ts";
import type { Interval, Shortfall } from "./topic-links.ts";

type Count = Exclude<keyof PeerTraffic, "peer" | "kind" | "name" | "rtt_us">;

interface Place {
  /** Canonical name of the manager's host. */
  readonly manager: string;
  /** Returns the host with this address, or the address. */
  readonly hostOf: (address: string) => string;
}

/**
 * Connections that end at the manager: of browsers, GUIs and clients; and those that it made through other hosts. Returns the bytes that were sent
 * and the bytes that arrived.
 */
export function addConnections(interval: Interval, sums: LinkSums, { manager, hostOf }: Place): Shortfall[] {
  const { before, after } = interval;
  const milliseconds = after.at - before.at;
  const shortfalls: Shortfall[] = [];
  const past = new Map(before.peers.map((peer) => [peerKey(peer), peer]));
  for (const now of after.peers) {
    const { kind, name } = now;
    if (kind === "daemon") continue;
    const old = past.get(peerKey(now));
    const of = (key: Count) => (key.startsWith("segments") ? kernelIncrease : increase)(old?.[key] ?? 0, now[key]);
    const rate = (packets: number, bytes: number) => ({ packets: perSecond(packets, milliseconds), bytes: perSecond(bytes, milliseconds) });
    if (of("written") + of("read") === 0) continue;
    const host = hostOf(now.peer);
    // If both ends are on one machine, the host name cannot distinguish the directions.
    const peer = host === manager ? now.peer : host;
    const child = { kind, name } as const;
    const [down, up] = [
      { from: manager, to: peer },
      { from: peer, to: manager },
    ];
    // The peer reports no counters: bytes that its kernel has acknowledged count as received.
    sums.add(down, child, rate(of("segments_out"), of("written")), rate(of("segments_delivered"), of("acknowledged")));
    // The number of segments that the peer sent is unknown; the number received does not stand in for it.
    sums.add(up, child, rate(0, of("received")), rate(of("segments_in"), of("read")));
    shortfalls.push({ ...down, ...child, unit: "bytes", sent: of("written"), arrived: of("acknowledged") });
    shortfalls.push({ ...up, ...child, unit: "bytes", sent: of("received"), arrived: of("read") });
  }
  return [...shortfalls, ...addForwards(interval, sums, manager)];
}

function addForwards({ before, after, spans }: Interval, sums: LinkSums, manager: string): Shortfall[] {
  const milliseconds = after.at - before.at;
  const shortfalls: Shortfall[] = [];
  for (const [host, forwards] of after.forwards) {
    const measured = spans.get(host)?.measured;
    if (measured === undefined || host === manager) continue;
    for (const { target, written, received } of forwards) {
      const old = before.forwards.get(host)?.find((one) => one.target === target);
      const own = { written: increase(old?.written ?? 0, written), received: increase(old?.received ?? 0, received) };
      const there = (field: "sent" | "received") => grown(measured, "forward", target, field);
      if (own.written + own.received + there("sent") + there("received") === 0) continue;
      const child = { kind: "tcp_forward", name: target } as const;
      // A stream has no packets.
      const here = (count: number) => ({ packets: 0, bytes: perSecond(count, milliseconds) });
      const beyond = (count: number) => ({ packets: 0, bytes: perSecond(count, measured.milliseconds) });
      const [down, up] = [
        { from: manager, to: host },
        { from: host, to: manager },
      ];
      sums.add(down, child, here(own.written), beyond(there("received")));
      sums.add(up, child, beyond(there("sent")), here(own.received));
      shortfalls.push({ ...down, ...child, unit: "bytes", sent: own.written, arrived: there("received") });
      shortfalls.push({ ...up, ...child, unit: "bytes", sent: there("sent"), arrived: own.received });
    }
  }
  return shortfalls;
}

function peerKey({ peer, kind, name }: PeerTraffic): string {
  return JSON.stringify([peer, kind, name]);
}
