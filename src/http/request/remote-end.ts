import { isIPv4 } from "node:net";

/** The client's end of a connection. IPv4 addresses are never in their IPv6-mapped form. */
export interface RemoteEnd {
  readonly ip: string;
  readonly port: number;
  /** Whether the connection is TLS. */
  readonly isSecure: boolean;
  /** `local:<system user>` over the local socket, as the kernel reports it; else null. */
  readonly localUser: string | null;
}

/** The part of a net or tls socket that is used here. */
interface Ended {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly encrypted?: boolean;
}

export function remoteEnd(socket: Ended): RemoteEnd {
  const ip = (socket.remoteAddress ?? "").replace(/^::ffff:(?=\d+\.)/i, "");
  return { ip, port: socket.remotePort ?? 0, isSecure: socket.encrypted === true, localUser: null };
}

/** `<ip>:<port>`, IPv6 in brackets; "" over the local socket. */
export function formatAddress({ ip, port }: Pick<RemoteEnd, "ip" | "port">): string {
  if (ip === "") return "";
  return ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;
}

/** Parses the text of `formatAddress`. */
export function addressEnd(address: string): RemoteEnd {
  const [, ip = "", port = "0"] = /^\[?(.*?)\]?:(\d+)$/.exec(address) ?? [];
  return { ip, port: Number(port), isSecure: false, localUser: null };
}

export function isLoopback({ ip }: RemoteEnd): boolean {
  return ip === "::1" || (isIPv4(ip) && ip.startsWith("127."));
}

/** The unit in which login failures are counted: an IPv6 client owns a whole /64. */
export function addressKey({ ip }: RemoteEnd): string {
  if (!ip.includes(":")) return ip;
  const [head = "", tail = ""] = ip.split("%")[0]?.split("::") ?? [];
  const left = head.split(":").filter(Boolean);
  const right = tail.split(":").filter(Boolean);
  const zeros = new Array<string>(Math.max(0, 8 - left.length - right.length)).fill("0");
  return [...left, ...zeros, ...right].slice(0, 4).join(":");
}

/** The base address for a person or program on this machine. */
export function urlOf(scheme: "http" | "https", host: string, port: number): string {
  const isEverywhere = host === "" || host === "0.0.0.0" || host === "::";
  return `${scheme}://${isEverywhere ? "localhost" : host.includes(":") ? `[${host}]` : host}:${port}`;
}
