import type { NetworkRow, NetworkRowOf } from "../../../../src/features/network-statistics/contract.ts";
import { Counted, type Reading } from "../../../../src/features/network-statistics/manager/reading.ts";
import type { Sample } from "../../../../src/features/network-statistics/manager/sample.ts";

/** What an end counted, at a time of its own clock; both rounds of a sample saw the same unless told otherwise. */
export function reading(at: number, rows: NetworkRow[], second: NetworkRow[] = rows, life = "one"): Reading {
  return { life, first: new Counted(at, rows), second: new Counted(at, second) };
}

export function sample(at: number, parts: Partial<Sample>): Sample {
  return { at, hosts: new Map(), hub: null, topics: new Map(), services: [], links: new Map(), forwards: new Map(), peers: [], ...parts };
}

export function port(name: string, given: Partial<NetworkRowOf<"interface">> = {}): NetworkRowOf<"interface"> {
  const counters = { rx_bytes: 0, tx_bytes: 0, rx_packets: 0, tx_packets: 0, rx_errors: 0, tx_errors: 0, rx_drops: 0, tx_drops: 0 };
  return { kind: "interface", name, index: 2, up: true, speed_bits_s: null, addresses: [], ...counters, ...given };
}

export const published = (msgs: number, bytes = msgs * 10): NetworkRow => ({ kind: "published", subject: "topic.arm.state", msgs, bytes });
export const arrived = (msgs: number, bytes = msgs * 10): NetworkRow => ({ kind: "arrived", subject: "topic.arm.state", msgs, bytes });

/** Where everything is: the manager's host, addresses that are no hosts, and one network. */
export const PLACE = { manager: "bench", hostOf: (ip: string) => ip, networkOf: () => "lab" };

export const NO_FINDINGS = {
  stats: { interfaces: [], tcp_links: [], udp: [] },
  shortfalls: [],
  unreachable: new Map<string, number | null>(),
  wasUp: () => false,
};
