import { increase, kernelIncrease, perSecond } from "../increase.ts";
import type { NetworkStats } from "../wire.ts";
import type { LinkSums } from "./link-sum.ts";
import { grown, type Span } from "./reading.ts";
import type { Sample } from "./sample.ts";
import type { Interval, Shortfall } from "./topic-links.ts";

type TcpLink = NetworkStats["tcp_links"][number];
/** Bytes in each direction. */
interface Carried {
  readonly out: number;
  readonly in: number;
}

/**
 * Connections of daemons to the manager. They carry topics and services, also on their path to a third host, and forwards, each of which is a part
 * of a link of its own. The part `daemon` is the rest: control, output, heartbeats, and the envelopes of the carried messages.
 */
export function addDaemons(interval: Interval, sums: LinkSums, manager: string): { tcpLinks: TcpLink[]; shortfalls: Shortfall[] } {
  const milliseconds = interval.after.at - interval.before.at;
  const tcpLinks: TcpLink[] = [];
  const shortfalls: Shortfall[] = [];
  for (const name of new Set(interval.after.peers.flatMap((peer) => (peer.kind === "daemon" ? [peer.name] : [])))) {
    const span = interval.spans.get(name);
    if (span === undefined) continue;
    const ours = managerEnd(interval, name);
    const theirs = daemonEnd(span);
    const second = (count: number) => perSecond(count, milliseconds);
    const there = (count: number) => perSecond(count, span.measured.milliseconds);
    const [down, up] = [
      { from: manager, to: name },
      { from: name, to: manager },
    ];
    const child = { kind: "daemon", name } as const;
    sums.add(
      down,
      child,
      { packets: second(ours.segments_out), bytes: second(rest(ours.bytes.out, ours.carried.out)) },
      { packets: there(theirs.segments_in), bytes: there(rest(theirs.bytes.in, theirs.carried.in)) },
    );
    sums.add(
      up,
      child,
      { packets: there(theirs.segments_out), bytes: there(rest(theirs.bytes.out, theirs.carried.out)) },
      { packets: second(ours.segments_in), bytes: second(rest(ours.bytes.in, ours.carried.in)) },
    );
    // Queued bytes may belong to any part: the connections are compared as a whole.
    shortfalls.push({ ...down, ...child, unit: "bytes", sent: ours.bytes.out, arrived: theirs.bytes.in });
    shortfalls.push({ ...up, ...child, unit: "bytes", sent: theirs.bytes.out, arrived: ours.bytes.in });
    const milli = (us: number | null) => (us === null ? null : us / 1_000);
    const row = (ends: typeof down, rtt: number | null, packets_s: number, retransmits_s: number): TcpLink => {
      return { name: "daemon", age: 0, from_host: ends.from, to_host: ends.to, rtt_ms: milli(rtt), packets_s, retransmits_s };
    };
    tcpLinks.push(row(down, ours.rtt_us, second(ours.segments_out), second(ours.retransmits)));
    tcpLinks.push(row(up, theirs.rtt_us, there(theirs.segments_out), there(theirs.retransmits)));
  }
  return { tcpLinks, shortfalls };
}

function rest(bytes: number, carried: number): number {
  // A message that was just accepted counts as carried before it is on the connection.
  return Math.max(0, bytes - carried);
}

/** The manager's counters of the connections of a host, which may have come from several addresses. */
function managerEnd({ before, after }: Interval, name: string) {
  const sum = { bytes: { out: 0, in: 0 }, segments_out: 0, segments_in: 0, retransmits: 0, rtt_us: null as number | null };
  for (const now of after.peers) {
    if (now.kind !== "daemon" || now.name !== name) continue;
    const old = before.peers.find((one) => one.kind === "daemon" && one.name === name && one.peer === now.peer);
    sum.bytes.out += increase(old?.written ?? 0, now.written);
    sum.bytes.in += increase(old?.read ?? 0, now.read);
    sum.segments_out += kernelIncrease(old?.segments_out ?? 0, now.segments_out);
    sum.segments_in += kernelIncrease(old?.segments_in ?? 0, now.segments_in);
    sum.retransmits += increase(old?.retransmits ?? 0, now.retransmits);
    if (now.rtt_us !== null) sum.rtt_us = Math.max(sum.rtt_us ?? 0, now.rtt_us);
  }
  return { ...sum, carried: carriedByManager(before, after, name) };
}

function carriedByManager(before: Sample, after: Sample, host: string): Carried {
  const of = (sample: Sample) => {
    const sum = { out: 0, in: 0 };
    const link = sample.links.get(host);
    sum.out += link?.out_bytes ?? 0;
    sum.in += link?.in_bytes ?? 0;
    for (const { written, received } of sample.forwards.get(host) ?? []) {
      sum.out += written;
      sum.in += received;
    }
    return sum;
  };
  const [old, now] = [of(before), of(after)];
  return { out: increase(old.out, now.out), in: increase(old.in, now.in) };
}

/** A daemon's counters of its connections. */
function daemonEnd({ measured }: Span) {
  const sum = { bytes: { out: 0, in: 0 }, segments_out: 0, segments_in: 0, retransmits: 0, rtt_us: null as number | null };
  for (const { local, peer, rtt_us } of measured.after.all("link_socket")) {
    const of = (field: Parameters<typeof grown<"link_socket">>[3]) => grown(measured, "link_socket", `${local} ${peer}`, field);
    sum.bytes.out += of("written");
    sum.bytes.in += of("read");
    sum.segments_out += of("data_segments_out");
    sum.segments_in += of("data_segments_in");
    sum.retransmits += of("retransmits");
    sum.rtt_us = Math.max(sum.rtt_us ?? 0, rtt_us);
  }
  const carried = { out: 0, in: 0 };
  for (const { name } of measured.after.all("link")) {
    carried.out += grown(measured, "link", name, "sent");
    carried.in += grown(measured, "link", name, "received");
  }
  for (const { target } of measured.after.all("forward")) {
    carried.out += grown(measured, "forward", target, "sent");
    carried.in += grown(measured, "forward", target, "received");
  }
  return { ...sum, carried };
}
