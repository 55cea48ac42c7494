/** Where records are sent: a datagram socket of this machine, or a port of another. */
export type SyslogTarget = { readonly path: string } | { readonly host: string; readonly port: number };

/** Longest path of a unix socket, bytes. */
const MAX_SOCKET_PATH_BYTES = 107;

/** Reads `/dev/log` or `udp://HOST:PORT`; null for anything else. */
export function syslogTarget(text: string): SyslogTarget | null {
  if (text.startsWith("/")) return Buffer.byteLength(text) <= MAX_SOCKET_PATH_BYTES && !text.includes("\0") ? { path: text } : null;
  const [, host = "", digits = ""] = /^udp:\/\/(\[[0-9A-Fa-f:.]+\]|[\w.-]+):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  return host === "" || port < 1 || port > 65_535 ? null : { host: host.replace(/^\[|\]$/g, ""), port };
}
