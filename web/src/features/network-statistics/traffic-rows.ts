import type { NetworkInterface, NetworkLink, NetworkProblem, NetworkStats } from "../../../../src/features/network-statistics/wire.ts";
import { hasWords, wordsOf } from "../../ui/list/word-filter.ts";
import type { LinkKind } from "./traffic-words.ts";

/** The part of the traffic that the user wants to see. */
export interface TrafficFilter {
  /** Words that a row has to contain. */
  readonly text: string;
  /** Only traffic of this host; null: all. */
  readonly host: string | null;
  readonly hiddenKinds: readonly LinkKind[];
  /** Keys of the hidden links and interfaces. */
  readonly hiddenRows: readonly string[];
}

export const linkKey = ({ from_host, to_host }: Pick<NetworkLink, "from_host" | "to_host">): string => `${from_host} → ${to_host}`;
export const portKey = (port: Pick<NetworkInterface, "host" | "interface">): string => `${port.host} ${port.interface}`;

export interface LinkRow {
  readonly key: string;
  readonly link: NetworkLink;
  /** Only some parts match the filter: the row is shown open. */
  readonly isFound: boolean;
  readonly problems: readonly NetworkProblem[];
}

/** Links as the sum of their visible parts, with the problems that concern them. */
export function linkRows({ links, problems }: Pick<NetworkStats, "links" | "problems">, filter: TrafficFilter): LinkRow[] {
  const { host, hiddenKinds, hiddenRows } = filter;
  const words = wordsOf(filter.text);
  return links.flatMap((all): LinkRow[] => {
    const key = linkKey(all);
    if (hiddenRows.includes(key) || (host !== null && all.from_host !== host && all.to_host !== host)) return [];
    const link = without(all, hiddenKinds);
    if (link === null) return [];
    const own = problems.filter(({ host: at, peer }) => at === link.from_host && peer === link.to_host);
    const ends = `${link.from_host} ${link.to_host}`;
    if (hasWords(ends, words)) return [{ key, link, isFound: false, problems: own }];
    const children = link.children.filter(({ kind, name }) => hasWords(`${ends} ${kind} ${name}`, words));
    return children.length === 0 ? [] : [{ key, link: summed(link, children), isFound: true, problems: own }];
  });
}

/** The interfaces that match the filter. */
export function portRows(interfaces: readonly NetworkInterface[], filter: TrafficFilter): NetworkInterface[] {
  const words = wordsOf(filter.text);
  return interfaces
    .filter((port) => {
      if (filter.hiddenRows.includes(portKey(port)) || (filter.host !== null && port.host !== filter.host)) return false;
      return hasWords(`${port.host} ${port.interface} ${port.network ?? ""} ${port.up ? "up" : "down"}`, words);
    })
    .sort((one, other) => compare(one.host, other.host) || compare(one.interface, other.interface));
}

/** The problems that match the filter. */
export function shownProblems(problems: readonly NetworkProblem[], { text, host }: Pick<TrafficFilter, "text" | "host">): NetworkProblem[] {
  const words = wordsOf(text);
  return problems.filter(
    (problem) =>
      (host === null || problem.host === host || problem.peer === host) &&
      hasWords(`${problem.kind} ${problem.host} ${problem.peer ?? ""} ${problem.message}`, words),
  );
}

/** A host with the kernel's counters of its daemon's connections and of its datagrams. */
export interface HostRow {
  readonly host: string;
  readonly sent: number;
  readonly received: number;
  /** Round-trip time, ms; null if it is not reported. */
  readonly rtt_ms: number | null;
  /** Fraction of the segments that were sent again. */
  readonly retransmits: number;
  readonly udpLost: number;
  readonly age: number;
}

export function hostRows(
  { links, interfaces, tcp_links, udp }: NetworkStats,
  hosts: readonly string[],
  { text, host }: Pick<TrafficFilter, "text" | "host">,
): HostRow[] {
  const words = wordsOf(text);
  const known = new Set([...hosts, ...udp.map((row) => row.host), ...interfaces.map((row) => row.host)]);
  return [...known]
    .filter((name) => (host === null || name === host) && hasWords(name, words))
    .sort(compare)
    .map((name) => {
      const tcp = tcp_links.find(({ from_host }) => from_host === name);
      const own = udp.find((row) => row.host === name);
      const sum = (end: "from_host" | "to_host", key: "bytes_s" | "measured_bytes_s") =>
        links.filter((link) => link[end] === name && link.from_host !== link.to_host).reduce((total, link) => total + link[key], 0);
      return {
        host: name,
        sent: sum("from_host", "bytes_s"),
        received: sum("to_host", "measured_bytes_s"),
        rtt_ms: tcp?.rtt_ms ?? null,
        retransmits: tcp === undefined || tcp.packets_s === 0 ? 0 : tcp.retransmits_s / tcp.packets_s,
        udpLost: own === undefined ? 0 : Math.max(own.receive_errors_s, own.drops_s),
        age: own?.age ?? tcp?.age ?? 0,
      };
    });
}

/** The fraction of a link's or child's messages that the receiver has not counted; of its bytes if there are no packets. */
export function missingPart(values: Pick<NetworkLink, "bytes_s" | "packets_s" | "measured_bytes_s" | "measured_packets_s">): number {
  const [sent, got] = values.packets_s > 0 ? [values.packets_s, values.measured_packets_s] : [values.bytes_s, values.measured_bytes_s];
  return sent === 0 ? 0 : Math.max(0, (sent - got) / sent);
}

/** The kinds of traffic that occur. */
export function kindsOf(links: readonly NetworkLink[]): Set<LinkKind> {
  return new Set(links.flatMap(({ children }) => children.map(({ kind }) => kind)));
}

function without(link: NetworkLink, hidden: readonly LinkKind[]): NetworkLink | null {
  const children = link.children.filter(({ kind }) => !hidden.includes(kind));
  if (children.length === link.children.length) return link;
  return children.length === 0 ? null : summed(link, children);
}

function summed(link: NetworkLink, children: NetworkLink["children"]): NetworkLink {
  const sum = (key: "bytes_s" | "packets_s" | "measured_bytes_s" | "measured_packets_s") =>
    children.reduce((total, child) => total + child[key], 0);
  return {
    ...link,
    children,
    bytes_s: sum("bytes_s"),
    packets_s: sum("packets_s"),
    measured_bytes_s: sum("measured_bytes_s"),
    measured_packets_s: sum("measured_packets_s"),
  };
}

const compare = (one: string, other: string) => one.localeCompare(other, "en", { numeric: true });
