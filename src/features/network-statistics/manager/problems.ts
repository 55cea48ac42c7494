import type { NetworkInterface, NetworkProblem, NetworkStats } from "../wire.ts";
import type { Shortfall } from "./topic-links.ts";

/** A link is short when measured traffic is more than 5 percent below the theoretical value (docs/network.md). */
const MAX_LOSS = 0.05;
/** Minimum number of missing bytes that count as a loss: fewer may be in the sockets and queues of both ends. */
const MIN_MISSING_BYTES = 256 * 1024;
/** Loss above which the problem is an error. */
const SEVERE_LOSS = 0.5;
const MAX_USE = 0.8;
const MAX_RETRANSMITS = 0.01;
const BITS_PER_BYTE = 8;
const ORDER: readonly NetworkProblem["severity"][] = ["error", "warning", "info"];

export interface Findings {
  readonly stats: Pick<NetworkStats, "interfaces" | "tcp_links" | "udp">;
  readonly shortfalls: readonly Shortfall[];
  /** Hosts that do not answer, with the seconds since their last answer; null: they never answered. */
  readonly unreachable: ReadonlyMap<string, number | null>;
  /** Whether the interface was up before. */
  readonly wasUp: (host: string, name: string) => boolean;
}

type Draft = Pick<NetworkProblem, "severity" | "kind" | "message" | "host"> & Partial<NetworkProblem>;

/** Problems with their place and advice, the most severe first. Values that were not measured now are ignored. */
export function problemsOf({ stats, shortfalls, unreachable, wasUp }: Findings): NetworkProblem[] {
  const found = [
    ...shortfalls.flatMap(loss),
    ...[...unreachable].map(([host, seconds]) => absence(host, seconds)),
    ...stats.interfaces.flatMap((port) => ofInterface(port, wasUp(port.host, port.interface))),
    ...stats.tcp_links.filter(({ age }) => age === 0).flatMap(retransmissions),
    ...stats.udp.filter(({ age }) => age === 0).flatMap(udpDrops),
  ];
  const problems = found.map((draft): NetworkProblem => ({ peer: null, interface: null, child: null, ...draft }));
  return problems.sort((one, other) => ORDER.indexOf(one.severity) - ORDER.indexOf(other.severity));
}

function loss({ from, to, kind, name, unit, sent, arrived }: Shortfall): Draft[] {
  const part = sent === 0 ? 0 : (sent - arrived) / sent;
  if (part <= MAX_LOSS || (unit === "bytes" && sent - arrived < MIN_MISSING_BYTES)) return [];
  const facts = `${kind} '${name}' from ${from} to ${to}: ${percent(part)} of the ${unit} did not arrive (${sent} sent, ${arrived} received)`;
  const advice = `A program on ${to} may read too slowly, or the link may be full or cut: look at the load of ${to} and its programs and at the interfaces, or send less`;
  const severity = part > SEVERE_LOSS ? "error" : "warning";
  return [{ severity, kind: "loss", message: `${facts}. ${advice}`, host: from, peer: to, child: { kind, name } }];
}

function absence(host: string, seconds: number | null): Draft {
  const since = seconds === null ? "was not reached yet" : `does not answer; it was last heard ${Math.round(seconds)} s ago`;
  const message = `${host} ${since}. Check that the machine and its daemon run, and that the network between them and the manager is up`;
  return { severity: seconds === null ? "info" : "warning", kind: "unreachable", message, host };
}

function ofInterface(port: NetworkInterface, wasUp: boolean): Draft[] {
  const { host, interface: name, up, speed_bits_s } = port;
  const place = `${name} of ${host}`;
  const draft = (severity: Draft["severity"], kind: Draft["kind"], message: string): Draft => ({
    severity,
    kind,
    message,
    host,
    interface: name,
  });
  const found: Draft[] = [];
  if (!up && wasUp) found.push(draft("error", "link_down", `${place} is down. Check its cable or radio, and see 'ip link' there`));
  const errors = port.rx_errors_s + port.tx_errors_s;
  if (errors > 0)
    found.push(
      draft("warning", "errors", `${place} has ${amount(errors)} errors a second. Check the cable, the plugs and the port of the switch`),
    );
  const drops = port.rx_drops_s + port.tx_drops_s;
  if (drops > 0) {
    const advice = `The machine may be too busy, or the queue of its driver too short (ethtool -g ${name})`;
    found.push(draft("warning", "drops", `${place} drops ${amount(drops)} packets a second. ${advice}`));
  }
  const use = speed_bits_s === null ? 0 : (Math.max(port.rx_bytes_s, port.tx_bytes_s) * BITS_PER_BYTE) / speed_bits_s;
  if (use > MAX_USE)
    found.push(
      draft(
        "warning",
        "saturated",
        `${place} is at ${percent(use)} of its speed. Send less over it, or use a faster link: what is beyond is lost`,
      ),
    );
  return found;
}

function retransmissions({ from_host, to_host, packets_s, retransmits_s }: NetworkStats["tcp_links"][number]): Draft[] {
  const part = packets_s === 0 ? 0 : retransmits_s / packets_s;
  if (part <= MAX_RETRANSMITS) return [];
  const message = `${percent(part)} of the segments from ${from_host} to ${to_host} are sent again: the network between them loses packets. Check cables, radio and switches on the way, and the interfaces for errors and drops`;
  return [{ severity: "warning", kind: "retransmissions", message, host: from_host, peer: to_host }];
}

function udpDrops({ host, receive_errors_s, drops_s }: NetworkStats["udp"][number]): Draft[] {
  const lost = Math.max(receive_errors_s, drops_s);
  if (lost <= 0) return [];
  const message = `${host} loses ${amount(lost)} UDP datagrams a second: a program there reads too slowly. Look for it in the last column of /proc/net/udp, and give it a larger receive buffer (net.core.rmem_max)`;
  return [{ severity: "warning", kind: "udp_drops", message, host }];
}

function percent(part: number): string {
  return `${(part * 100).toFixed(1)} %`;
}

function amount(count: number): string {
  return count >= 10 ? String(Math.round(count)) : String(Math.round(count * 10) / 10 || "a few");
}
