import type { NetworkLink, NetworkStats } from "../wire.ts";

export type LinkChild = NetworkLink["children"][number];
type Kind = LinkChild["kind"];

/** Messages or segments per second, and bytes per second. */
export interface Rate {
  readonly packets: number;
  readonly bytes: number;
}

/** Sums the traffic between hosts. */
export class LinkSums {
  readonly #links = new Map<string, NetworkLink>();

  add(ends: { from: string; to: string }, child: { kind: Kind; name: string }, sent: Rate, arrived: Rate): void {
    const { from, to } = ends;
    const key = linkKey(from, to);
    const link = this.#links.get(key) ?? { from_host: from, to_host: to, ...NOTHING, children: [] };
    this.#links.set(key, link);
    let own = link.children.find(({ kind, name }) => kind === child.kind && name === child.name);
    if (own === undefined) {
      own = { ...child, ...NOTHING };
      link.children.push(own);
    }
    for (const sum of [link, own]) {
      sum.bytes_s += sent.bytes;
      sum.packets_s += sent.packets;
      sum.measured_bytes_s += arrived.bytes;
      sum.measured_packets_s += arrived.packets;
    }
  }

  /** The links with the most traffic come first. */
  links(): NetworkLink[] {
    const links = [...this.#links.values()];
    for (const { children } of links) children.sort(byTraffic);
    return links.sort(byTraffic);
  }
}

export function linkKey(from: string, to: string): string {
  return JSON.stringify([from, to]);
}

const NOTHING = { bytes_s: 0, packets_s: 0, measured_bytes_s: 0, measured_packets_s: 0 };

function byTraffic(one: typeof NOTHING, other: typeof NOTHING): number {
  return other.bytes_s + other.measured_bytes_s - one.bytes_s - one.measured_bytes_s;
}

/** The fields of an answer that `links` supersedes. */
export function oldLinks(links: readonly NetworkLink[]): Pick<NetworkStats, "links_theoretical" | "links_measured"> {
  return {
    links_theoretical: links.map((link) => ({
      ...endsOf(link),
      ...sent(link),
      children: link.children.map((one) => ({ ...nameOf(one), ...sent(one) })),
    })),
    links_measured: links.map((link) => ({
      ...endsOf(link),
      ...arrived(link),
      children: link.children.map((one) => ({ ...nameOf(one), ...arrived(one) })),
    })),
  };
}

const endsOf = ({ from_host, to_host }: NetworkLink) => ({ from_host, to_host });
const nameOf = ({ kind, name }: LinkChild) => ({ kind, name });
const sent = ({ bytes_s, packets_s }: typeof NOTHING) => ({ bytes_s, packets_s });
const arrived = ({ measured_bytes_s, measured_packets_s }: typeof NOTHING) => ({
  bytes_s: measured_bytes_s,
  packets_s: measured_packets_s,
});
