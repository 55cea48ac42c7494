import { readFileSync } from "node:fs";
import type { NetworkRow, NetworkRowOf } from "../contract.ts";
import { type InterfaceAddresses, interfaceAddresses } from "./interface-addresses.ts";
import { type InterfaceCounters, parseInterfaces, parseUdpDrops, parseUdpErrors } from "./proc-net.ts";

/** Bits per second in one unit of `speed` (Mbit/s). */
const BITS = 1_000_000;

/** Interfaces of this host with the kernel's counters, UDP losses, and whether the host forwards packets. Starts no programs. */
export function readNetwork(): NetworkRow[] {
  const known = interfaceAddresses();
  const interfaces = readInterfaces().flatMap((counters): NetworkRowOf<"interface">[] => {
    const own = known.get(counters.name);
    // The interface was removed meanwhile, or was just made.
    if (own === undefined) return [];
    const { index, isRunning: up, addresses } = own;
    return [{ kind: "interface", index, up, speed_bits_s: speedOf(counters.name, own), addresses, ...counters }];
  });
  const drops = parseUdpDrops(textOf("/proc/net/udp")) + parseUdpDrops(textOf("/proc/net/udp6"));
  return [
    ...interfaces,
    { kind: "udp", drops, ...parseUdpErrors(textOf("/proc/net/snmp"), textOf("/proc/net/snmp6")) },
    { kind: "forwarding", on: ["ipv4/ip_forward", "ipv6/conf/all/forwarding"].some((name) => isSet(`/proc/sys/net/${name}`)) },
  ];
}

/** The kernel's counters of all interfaces, from one file. */
export const readInterfaces = (): InterfaceCounters[] => parseInterfaces(textOf("/proc/net/dev"));

/** Speed in bits per second. Null if the driver does not know it, as for loopback and tunnels, or if the interface is down. */
function speedOf(name: string, { index, hardware }: InterfaceAddresses): number | null {
  const folder = `/sys/class/net/${name}`;
  // In a network namespace of its own, a daemon may see the /sys of another one, with other interfaces of the same name and number.
  if (Number(textOf(`${folder}/ifindex`)) !== index || textOf(`${folder}/address`).trim() !== hardware) return null;
  const speed = Number(textOf(`${folder}/speed`));
  return speed > 0 ? speed * BITS : null;
}

function isSet(path: string): boolean {
  return textOf(path).trim() === "1";
}

/** "" for a missing file: IPv6 may be switched off, or an interface was just removed. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
