import type { ListeningPort } from "./wire.ts";

const LOOPBACK = /^(127\.|::1$)/;
const EVERYWHERE = new Set(["0.0.0.0", "::"]);

export const isLoopback = ({ address }: Pick<ListeningPort, "address">): boolean => LOOPBACK.test(address);
/** Whether it can be reached by every address of its machine. */
export const isEverywhere = ({ address }: Pick<ListeningPort, "address">): boolean => EVERYWHERE.has(address);

/** "8080", "127.0.0.1:5432", "[fe80::1]:80", "5353/udp". */
export function portText({ protocol, address, port }: Pick<ListeningPort, "protocol" | "address" | "port">): string {
  const host = address.includes(":") ? `[${address}]` : address;
  return `${isEverywhere({ address }) ? "" : `${host}:`}${port}${protocol === "udp" ? "/udp" : ""}`;
}

/** The texts of ports, each once: most programs listen on IPv4 and IPv6. */
export const portTexts = (ports: readonly ListeningPort[]): string[] => [...new Set(ports.map(portText))];
