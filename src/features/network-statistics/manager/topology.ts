import type { NetworkRowOf } from "../contract.ts";
import type { NetworkTopology } from "../wire.ts";
import { containing, isShared, networkOf } from "./addresses.ts";

/** `networks` of the configuration. */
export type ConfiguredNetworks = ReadonlyMap<string, { readonly netmasks: readonly string[] }>;

/** Interfaces that a host reported. */
export interface HostInterfaces {
  readonly host: string;
  readonly forwards: boolean;
  readonly interfaces: readonly Pick<NetworkRowOf<"interface">, "name" | "addresses">[];
}

/** Maximum number of addresses whose network is remembered; with more the list is cleared. */
const MAX_ADDRESSES = 10_000;

/**
 * The name of the network that an address belongs to: a configured one, else the network itself; null: the address is not shared with other
 * hosts.
 */
export function networkNames(configured: ConfiguredNetworks): (cidr: string) => string | null {
  const known = [...configured].map(([name, { netmasks }]) => ({ name, has: containing(netmasks) }));
  const found = new Map<string, string | null>();
  return (cidr) => {
    const before = found.get(cidr);
    if (before !== undefined) return before;
    const name = isShared(cidr) ? (known.find(({ has }) => has(cidr))?.name ?? networkOf(cidr)) : null;
    if (found.size >= MAX_ADDRESSES) found.clear();
    found.set(cidr, name);
    return name;
  };
}

/** Networks of the configuration, further networks of the hosts' addresses, and the hosts that forward packets between them. */
export function topologyOf(hosts: readonly HostInterfaces[], configured: ConfiguredNetworks): NetworkTopology {
  const nameOf = networkNames(configured);
  const networks = new Map<string, NetworkTopology["networks"][number]>();
  for (const [name, { netmasks }] of configured) networks.set(name, { name, netmasks: [...netmasks], interfaces: [] });
  const gateways: NetworkTopology["gateways"] = [];
  for (const { host, forwards, interfaces } of hosts) {
    const own = new Set<string>();
    for (const { name: port, addresses } of interfaces) {
      for (const cidr of addresses) {
        const name = nameOf(cidr);
        if (name === null) continue;
        const network = networks.get(name) ?? { name, netmasks: [name], interfaces: [] };
        networks.set(name, network);
        network.interfaces.push({ host, interface: port, ip: cidr.replace(/\/.*$/, "") });
        own.add(name);
      }
    }
    if (forwards && own.size > 1) gateways.push({ host, networks: [...own] });
  }
  return { networks: [...networks.values()], gateways };
}
