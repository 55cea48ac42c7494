import type { Socket } from "node:net";
import { isDeepStrictEqual } from "node:util";
import type { Control } from "../actors/control.ts";
import { everyBeat } from "../base/timing/clock.ts";
import type { PeerTrafficBook } from "../bus/carriers/peer-traffic.ts";
import type { TcpAddress } from "../bus/carriers/tcp-listener.ts";
import type { AccessRules } from "../config/access-rules.ts";
import { commandObserver } from "../transport/extension.ts";
import type { Transport } from "../transport/websocket.ts";
import { Gate } from "./access/gate.ts";
import { knownHosts } from "./access/host-check.ts";
import type { StandingAdmission } from "./auth/authenticate.ts";
import type { FileLock } from "./auth/file-lock.ts";
import { Logins } from "./auth/logins.ts";
import type { FeatureExtension } from "./extension.ts";
import type { BuiltAssets } from "./files/built-assets.ts";
import { lazyRequestListener } from "./lazy-request-listener.ts";
import type { HttpLog } from "./log/http-log.ts";
import { Metrics } from "./metrics.ts";
import { addressEnd, urlOf } from "./request/remote-end.ts";
import { allRoutes } from "./routes/all-routes.ts";
import type { BusUpgrade } from "./server/bus-upgrade.ts";
import { Certificate, type CertificateFiles } from "./server/certificate.ts";
import type { ConnectionLimits } from "./server/connections.ts";
import { type Deadlines, Listener } from "./server/listener.ts";
import type { LocalSocketOptions } from "./server/local-socket.ts";
import { type Belonging, Followers, OpenWebSockets } from "./server/open-connections.ts";
import { Sites } from "./server/sites.ts";
import { Upgrades } from "./server/upgrade.ts";

export { loadAssets } from "./files/built-assets.ts";

export interface HttpServerOptions {
  readonly control: Control;
  /** Roles of users. */
  readonly access: AccessRules;
  /** Additions of the features to the port. */
  readonly extensions: readonly FeatureExtension[];
  readonly transport: Pick<Transport, "accept" | "connect" | "frames" | "connections">;
  /** Absolute path of the auth file; null: not configured, and all users are refused. */
  readonly authFile: string | null;
  /** Socket on which local programs connect without a login; null: there is none. */
  readonly localSocket: LocalSocketOptions | null;
  /** Socket on which operators of this machine connect without a login; omitted: there is none. */
  readonly operatorSocket?: LocalSocketOptions | null;
  readonly listen: TcpAddress;
  /** The built page. */
  readonly assets: BuiltAssets;
  /** Certificate of HTTPS on the same port; null: plain HTTP only. */
  readonly certificate: CertificateFiles | null;
  /** Whether plain HTTP is redirected to HTTPS. Needs a certificate. */
  readonly isHttpsOnly: boolean;
  /** Absolute paths of the configuration's files, for archives. */
  readonly configFiles: () => readonly string[];
  /** Locks other managers with the same auth file out of the sessions file. */
  readonly lock: FileLock;
  /** Accepted host names in addition to localhost, IP literals, this machine's name and those of the known hosts. */
  readonly allowedHosts: readonly string[];
  /** Origins of other pages that may use `/ws`, the bus and the GET routes. */
  readonly allowedOrigins: readonly string[];
  /** The bus behind `/mgr/bus`; omitted: none. */
  readonly bus?: BusUpgrade | null;
  readonly log: HttpLog;
  /** Counts the bytes of connections; omitted: they are not counted. */
  readonly book?: PeerTrafficBook | null;
  /** Other deadlines, for tests. */
  readonly deadlines?: Partial<Deadlines>;
  readonly limits?: Partial<ConnectionLimits>;
}

export interface HttpServer {
  readonly port: number;
  /** Address for people on this machine, for example `https://localhost:8130`. */
  readonly url: string;
  /** Address for programs on this machine: plain HTTP, which `https_only` redirects. */
  readonly localUrl: string;
  /** The reason why all logins are refused now, and what to do; null: users of the auth file can log in. */
  readonly loginProblem: string | null;
  /**
   * Checks a user and password of the auth file that do not arrive over HTTP; failures are throttled like those of HTTP. `address` is
   * `<ip>:<port>`.
   */
  admitUser(user: string, password: string, address: string): Promise<StandingAdmission | null>;
  /** From now on every request and upgrade is refused; requests in progress continue. */
  refuse(): void;
  /** Called when the rules of access may have changed: connections of users whose grants are others now are closed. */
  accessChanged(): void;
  /** Ends everything within a few seconds. Close the transport first: it closes its WebSockets properly. */
  close(): Promise<void>;
}

/** The web interface before its port is open. */
export interface PreparedHttpServer extends Pick<HttpServer, "admitUser" | "refuse" | "accessChanged" | "close"> {
  /** Rejects with MgrError `conflict` when the port is not available. */
  open(): Promise<HttpServer>;
}

/** Interval at which the auth file is checked without requests, ms: revoked WebSockets close within 5 s. */
const REVOCATION_INTERVAL_MS = 2_000;

/** Code with which WebSockets are closed whose user may do something else now: clients connect again, with the new grants. */
const ACCESS_CHANGED = 1012;

/** The web interface with its port open. Rejects with MgrError `conflict` when the port is not available. */
export async function createHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  return prepareHttpServer(options).open();
}

/** Everything of the web interface except its port, which `open` opens. */
export function prepareHttpServer(options: HttpServerOptions): PreparedHttpServer {
  const { control, extensions, transport, assets, log, isHttpsOnly, bus = null } = options;
  const certificate = options.certificate && new Certificate(options.certificate, log);
  const observer = commandObserver(extensions);
  const followers = new Followers();
  const open = new OpenWebSockets();
  const end = (which: (belonging: Belonging) => boolean, reason: string, code?: number) => {
    followers.end(which);
    open.end(which, reason, code);
  };

  const logins = new Logins({
    path: options.authFile,
    access: options.access,
    lock: options.lock,
    observer,
    isHttpsOnly,
    sources: extensions.flatMap(({ http }) => http?.logins ?? []),
    end: (which, reason) =>
      end(
        "session" in which
          ? ({ sessionId }) => sessionId === which.session
          : ({ principal }) => principal !== null && which.isUser(principal.user),
        reason,
      ),
    log,
  });
  let isClosing = false;
  const gate = new Gate({
    authenticator: logins.authenticator,
    isKnownHost: knownHosts(options.allowedHosts, control.state),
    allowedOrigins: new Set(options.allowedOrigins),
    isClosing: () => isClosing,
    isShuttingDown: () => control.state.isShuttingDown,
    isHttpsOnly,
  });
  const listener = new Listener({
    onRequest: (request, response) => {
      if (!sites.request(request, response)) onRequest(request, response);
    },
    onUpgrade: (...upgrade) => {
      if (!sites.upgrade(...upgrade)) upgrades.handle(...upgrade);
    },
    secureContext: certificate ? () => certificate.context() : undefined,
    deadlines: options.deadlines,
    limits: options.limits,
    book: options.book ?? null,
    log,
  });
  const parts = extensions.flatMap(({ http }) => http?.metrics ?? []);
  const metrics = new Metrics({ control, transport, connections: listener.connections, bus, parts });
  const { configFiles } = options;
  const routes = allRoutes({
    control,
    connect: transport.connect,
    extensions,
    assets,
    configFiles,
    followers,
    metrics,
    bus,
    logins,
    isHttpsOnly,
    log,
  });
  const remoteOf = (socket: Socket) => listener.remoteOf(socket);
  const sites = new Sites({
    sites: extensions.flatMap(({ http }) => http?.site ?? []),
    remoteOf,
    isClosing: () => isClosing,
    isHttpsOnly,
  });
  const onRequest = lazyRequestListener({ gate, routes, state: control.state, observer, remoteOf, log });
  const upgrades = new Upgrades({
    gate,
    control,
    transport,
    open,
    bus,
    sockets: extensions.flatMap(({ http }) => http?.sockets ?? []),
    remoteOf,
    label: (socket, label) => listener.label(socket, label),
    onRequest,
    log,
  });

  let endWatch = () => {};
  const prepared = {
    admitUser: (user: string, password: string, address: string) => logins.authenticator.admitUser(user, password, addressEnd(address)),
    refuse() {
      isClosing = true;
    },
    accessChanged() {
      const hasOtherGrants = ({ principal }: Belonging) =>
        principal !== null && !isDeepStrictEqual(logins.grantsOf(principal), principal.grants);
      end(hasOtherGrants, "what you may do has changed", ACCESS_CHANGED);
    },
    async close() {
      isClosing = true;
      endWatch();
      followers.end(() => true);
      metrics.close();
      await listener.close();
      await logins.flush();
    },
  };
  return {
    ...prepared,
    async open() {
      const locals = [options.localSocket, options.operatorSocket ?? null].filter((local) => local !== null);
      const port = await listener.listen(options.listen, locals).catch(async (error: unknown) => {
        metrics.close();
        await listener.close();
        throw error;
      });
      // Done after the port was opened: a manager that cannot get its port must not touch the sessions file.
      const loginProblem = logins.problem();
      endWatch = everyBeat(REVOCATION_INTERVAL_MS, () => logins.refresh());
      return {
        ...prepared,
        port,
        url: urlOf(certificate ? "https" : "http", options.listen.host, port),
        localUrl: urlOf("http", options.listen.host, port),
        loginProblem,
      };
    },
  };
}
