import { isEverywhere, isLoopback } from "../../../../src/features/ports/port-text.ts";
import type { ListeningPort } from "../../../../src/features/ports/wire.ts";

/** The machine of a process, and how this page reached the manager. */
export interface PortSurroundings {
  /** Names of the process's host, the canonical one first. */
  readonly names: readonly string[];
  /** Whether that is the manager's own host. */
  readonly isManagers: boolean;
  /** The host name in the address of this page. */
  readonly pageHost: string;
}

const LOCAL_NAMES = /^(localhost|127\.[\d.]+|\[::1\])$/;
const IP_ADDRESS = /^(\d{1,3}(\.\d{1,3}){3}|[\da-f:]*:[\da-f:.]*)$/i;

/**
 * The address of a TCP port for this browser, or the reason why there is none. The page knows the manager's host by the name in its own
 * address, other hosts by their addresses in the configuration, else by their names.
 */
export function portLink(port: ListeningPort, { names, isManagers, pageHost }: PortSurroundings): { href: string } | { reason: string } {
  const isLocalPage = LOCAL_NAMES.test(pageHost);
  if (port.protocol === "udp") return { reason: "UDP" };
  if (port.own_network) return { reason: "in a network namespace of its own" };
  if (isLoopback(port)) {
    if (isManagers && isLocalPage) return { href: addressOf(port.address, port.port) };
    return { reason: `only on ${names[0] ?? "its host"} itself` };
  }
  if (!isEverywhere(port)) return { href: addressOf(port.address, port.port) };
  const host = isManagers ? pageHost : (names.find((name) => IP_ADDRESS.test(name)) ?? names[0] ?? "");
  return host === "" ? { reason: "the address of its host is not known" } : { href: addressOf(host, port.port) };
}

function addressOf(host: string, port: number): string {
  const isIpv6 = host.includes(":") && !host.startsWith("[");
  return `http://${isIpv6 ? `[${host}]` : host}:${port}/`;
}
