import { lookup } from "node:dns/promises";
import { closeSync, constants, openSync } from "node:fs";
import type { Socket } from "node:net";
import { MgrError } from "../base/errors.ts";
import { bindHost, cannotBind, type TcpAddress } from "../bus/carriers/tcp-listener.ts";
import { AccessRules } from "../config/access-rules.ts";
import type { Config } from "../config/definition.ts";
import { tryLockExclusive } from "../daemon/native/libc.ts";
import { isTrustedPeer, peerUid } from "../daemon/native/peer-credentials.ts";
import { bindError } from "../daemon/native/try-bind.ts";
import { UserNames } from "../daemon/process/user-names.ts";
import { type HttpServerOptions, loadAssets, type PreparedHttpServer, prepareHttpServer } from "../http/index.ts";
import { packageFile } from "../http/package-files.ts";
import type { LocalUser } from "../http/server/local-socket.ts";
import type { LogBook } from "../log/log-book.ts";
import type { Transport } from "../transport/websocket.ts";
import type { Engine } from "./engine.ts";

/** Reads the built page. */
export function builtPage(): HttpServerOptions["assets"] {
  return loadAssets(packageFile("dist/web"));
}

interface ServeOptions
  extends Pick<HttpServerOptions, "assets" | "authFile" | "localSocket" | "operatorSocket" | "listen" | "bus" | "book"> {
  engine: Engine;
  transport: Transport;
  instance: Config["instance"];
  log: LogBook;
}

/** The one port of a manager, not open yet: page, routes, WebSockets. */
export function prepareHttp({ engine, transport, instance, log, ...rest }: ServeOptions): PreparedHttpServer {
  const hosts = [...engine.processTable.config.hosts];
  const http = prepareHttpServer({
    ...rest,
    control: engine.control,
    access: new AccessRules(() => engine.processTable.config.access),
    extensions: engine.extensions,
    transport,
    certificate:
      instance.webui_https_cert_file === null ? null : { certFile: instance.webui_https_cert_file, keyFile: instance.webui_https_key_file },
    isHttpsOnly: instance.https_only,
    allowedHosts: [...instance.allowed_hosts, ...hosts.flatMap(([name, { aliases }]) => [name, ...aliases])],
    allowedOrigins: instance.allowed_origins,
    configFiles: () => [...engine.processTable.config.files],
    lock: tryLockFile,
    log: (level, msg) => void log.append({ level, source: "http", msg }),
  });
  engine.onAccessChange(() => http.accessChanged());
  return http;
}

/**
 * The error with which `bind` would fail on a port of the instance, without opening it; null: they are free. If another program opens one afterwards,
 * `bind` itself fails.
 */
export async function findPortProblem({ manager, bus_listen }: Config["instance"]): Promise<MgrError | null> {
  return (await cannotUse(manager, "instance.manager")) ?? (bus_listen === null ? null : cannotUse(bus_listen, "instance.bus_listen"));
}

async function cannotUse(address: TcpAddress, setting: string): Promise<MgrError | null> {
  const { host, port } = address;
  if (port === 0) return null;
  const ip =
    host === ""
      ? "0.0.0.0"
      : await lookup(bindHost(host)).then(
          (found) => found.address,
          (cause: NodeJS.ErrnoException) => cannotBind(address, setting, cause),
        );
  if (ip instanceof MgrError) return ip;
  const code = bindError(ip, port);
  return code === null ? null : cannotBind(address, setting, Object.assign(new Error(`bind ${code}`), { code }));
}

const names = new UserNames();

/** The user at the other end of a connection over the local socket: this user or root, no other. */
export function localUser(socket: Socket): LocalUser {
  const uid = peerUid(socket);
  if (!isTrustedPeer(uid)) return { refused: uid === null ? "it has ended" : `uid ${uid} is neither this user nor root` };
  names.refresh();
  return { user: names.of(uid) };
}

/**
 * Locks `path` (created if missing, never removed); null while another process holds the lock. The kernel releases it when its holder dies.
 */
export function tryLockFile(path: string): { release(): void } | null {
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  let isInUse = false;
  try {
    isInUse = tryLockExclusive(fd);
  } finally {
    if (!isInUse) closeSync(fd);
  }
  return isInUse ? { release: () => closeSync(fd) } : null;
}
