/**
 * Bus subjects between manager and host. `host` is percent-encoded into one token (`.`, `*`, `>` and blanks too).
 *
 *   mgr.host.<host>.do.<request>   request/reply, manager → host   (JSON; `read` answers binary, see bus/host-link.ts)
 *   mgr.host.<host>.window         manager → host
 *   mgr.host.<host>.to_stream      manager → host, binary, on the daemon's bulk connection
 *   mgr.host.<host>.stream         host → manager, binary, on the daemon's bulk connection
 *   mgr.host.<host>.who            between daemons with the same name
 *   mgr.host.<host>.alive          manager → host, the manager's heartbeat {session}
 *   mgr.host.<host>.heartbeat      host → manager
 *   mgr.host.<host>.event          host → manager
 *   mgr.host.<host>.<news>         host → manager, of a feature (`HOST_NEWS`)
 *   mgr.host.<host>.log            host → manager
 *   mgr.host.<host>.output         host → manager, binary, on the daemon's bulk connection
 */
export function hostSubject(host: string, leaf: string): string {
  return `mgr.host.${subjectToken(host)}.${leaf}`;
}

/** Percent-encodes all characters that a subject token cannot contain. */
export function subjectToken(text: string): string {
  return encodeURIComponent(text).replace(/[.*!'()~]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Connections of a daemon: control (commands and events), bulk (output), link (its broker). */
export type DaemonConnection = "control" | "bulk" | "link";

/** The name of a daemon's connection to the bus, by which a broker detects a token that belongs to another host. */
export function daemonConnectionName(host: string, kind: DaemonConnection): string {
  return `daemon ${host} ${kind}`;
}

/** The host of a connection, according to its name; null: it does not name one. */
export function hostOfConnection(name: string): string | null {
  return /^daemon (.+) (?:control|bulk|link)$/s.exec(name)?.[1] ?? null;
}

/**
 * Subject that requests from every member of the bus (daemons and manager) a report of its traffic and subscriptions. Only the manager may use it.
 */
export const BUS_REPORT_SUBJECT = "mgr.bus.report";
