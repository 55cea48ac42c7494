import { readFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import type { NetworkRow, NetworkRowOf } from "../../contract/network.ts";
import { libc } from "../native/libc.ts";
import { parseInterfaces, parseUdpDrops, parseUdpErrors } from "./proc-net.ts";

const ifNameToIndex = libc.func("unsigned int if_nametoindex(const char *name)") as (name: string) => number;

/** Of `speed`, in Mbit/s. */
const BITS = 1_000_000;

/** Interfaces of this host with what the kernel has counted, losses of UDP, and whether it forwards. Starts no programs. */
export function readNetwork(): NetworkRow[] {
  const addresses = networkInterfaces();
  const interfaces = parseInterfaces(textOf("/proc/net/dev")).map((counters): NetworkRowOf<"interface"> => {
    const index = ifNameToIndex(counters.name);
    const own = (addresses[counters.name] ?? []).flatMap(({ cidr }) => cidr ?? []);
    return { kind: "interface", index, ...stateOf(counters.name, index, own.length > 0), addresses: own, ...counters };
  });
  const drops = parseUdpDrops(textOf("/proc/net/udp")) + parseUdpDrops(textOf("/proc/net/udp6"));
  return [
    ...interfaces,
    { kind: "udp", drops, ...parseUdpErrors(textOf("/proc/net/snmp"), textOf("/proc/net/snmp6")) },
    { kind: "forwarding", on: ["ipv4/ip_forward", "ipv6/conf/all/forwarding"].some((name) => isSet(`/proc/sys/net/${name}`)) },
  ];
}

/** `isUsed`: it has an address that works, which the kernel lists for interfaces that are up only. */
function stateOf(name: string, index: number, isUsed: boolean): Pick<NetworkRowOf<"interface">, "up" | "speed_bits_s"> {
  const folder = `/sys/class/net/${name}`;
  // In a network namespace of its own, a daemon may see the /sys of another one, with other interfaces of the same name.
  if (Number(textOf(`${folder}/ifindex`)) !== index) return { up: isUsed, speed_bits_s: null };
  const state = textOf(`${folder}/operstate`).trim();
  // Loopback and tunnels do not know.
  const up = state === "up" || (state === "unknown" && isUsed);
  const speed = Number(textOf(`${folder}/speed`));
  // -1: unknown; for an interface that is down the file cannot be read.
  return { up, speed_bits_s: speed > 0 ? speed * BITS : null };
}

function isSet(path: string): boolean {
  return textOf(path).trim() === "1";
}

/** "" for a file that is not there: IPv6 may be switched off, an interface may just have been removed. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
