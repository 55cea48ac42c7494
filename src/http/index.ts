import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Control } from "../actors/control.ts";
import { everyBeat } from "../base/clock.ts";
import type { PeerTrafficBook } from "../bus/carriers/peer-traffic.ts";
import type { TcpAddress } from "../bus/carriers/tcp-listener.ts";
import type { Transport } from "../transport/websocket.ts";
import { Gate, NO_HOST } from "./access/gate.ts";
import { knownHosts } from "./access/host-check.ts";
import type { AuthEntry } from "./auth/auth-entries.ts";
import { AuthFile } from "./auth/auth-file.ts";
import { Authenticator, type StandingAdmission } from "./auth/authenticate.ts";
import { Credentials } from "./auth/credentials.ts";
import { LoginTokens } from "./auth/login-tokens.ts";
import { Sessions } from "./auth/sessions.ts";
import type { FileLock } from "./auth/sessions-file.ts";
import { Throttle } from "./auth/throttle.ts";
import type { FeatureExtension } from "./extension.ts";
import { loadAssets } from "./files/built-assets.ts";
import { type HttpLog, stackOf } from "./log/http-log.ts";
import { Metrics } from "./metrics.ts";
import { refusal, refuse } from "./request/refusal.ts";
import { addressEnd, urlOf } from "./request/remote-end.ts";
import type { RequestListenerOptions } from "./request-listener.ts";
import { assetRoutes, pageRoutes } from "./routes/assets.ts";
import { logRoute } from "./routes/log.ts";
import { loginTokenRoute } from "./routes/login-token.ts";
import { logoutRoute } from "./routes/logout.ts";
import { saveAllRoute } from "./routes/save-all.ts";
import { busRoute, healthRoute, metricsRoute, schemaRoute, websocketHintRoute } from "./routes/status.ts";
import type { BusUpgrade } from "./server/bus-upgrade.ts";
import { Certificate, type CertificateFiles } from "./server/certificate.ts";
import type { ConnectionLimits } from "./server/connections.ts";
import { type Deadlines, Listener } from "./server/listener.ts";
import type { LocalSocketOptions } from "./server/local-socket.ts";
import { type Belonging, Followers, OpenWebSockets } from "./server/open-connections.ts";
import { Upgrades } from "./server/upgrade.ts";

export { assetHash } from "./files/built-assets.ts";

export interface HttpServerOptions {
  readonly control: Control;
  /** What features add to the port. */
  readonly extensions: readonly FeatureExtension[];
  readonly transport: Pick<Transport, "accept" | "frames" | "connections">;
  /** Absolute path; null: not configured, and all users are refused. */
  readonly authFile: string | null;
  /** Where local programs connect without a login; null: nowhere. */
  readonly localSocket: LocalSocketOptions | null;
  readonly listen: TcpAddress;
  /** Folder of the built page. */
  readonly assetsDir: string;
  /** Certificate of HTTPS on the same port; null: plain HTTP only. */
  readonly certificate: CertificateFiles | null;
  /** Plain HTTP is redirected. Needs a certificate. */
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
  /** Where the bytes of connections are counted; omitted: nowhere. */
  readonly book?: PeerTrafficBook | null;
  /** For tests. */
  readonly deadlines?: Partial<Deadlines>;
  readonly limits?: Partial<ConnectionLimits>;
}

export interface HttpServer {
  readonly port: number;
  /** For people on this machine, for example `https://localhost:8130`. */
  readonly url: string;
  /** For programs on this machine: plain HTTP, which `https_only` redirects. */
  readonly localUrl: string;
  /** Why all logins are refused now, and what to do; null: users of the auth file can log in. */
  readonly loginProblem: string | null;
  /**
   * Checks a user and password of the auth file that do not arrive over HTTP; failures are throttled like those of HTTP. `address` is
   * `<ip>:<port>`.
   */
  admitUser(user: string, password: string, address: string): Promise<StandingAdmission | null>;
  /** From now on every request and upgrade is refused; requests in progress continue. */
  refuse(): void;
  /** Ends everything within a few seconds. Close the transport first: it closes its WebSockets properly. */
  close(): Promise<void>;
}

/** The web interface before its port is open. */
export interface PreparedHttpServer extends Pick<HttpServer, "admitUser" | "refuse" | "close"> {
  /** Rejects with MgrError `conflict` when the port is not available. */
  open(): Promise<HttpServer>;
}

/** How often the auth file is checked without requests: revoked WebSockets close within 5 s, ms. */
const REVOCATION_INTERVAL = 2_000;

/** The web interface with its port open. Rejects with MgrError `conflict` when the port is not available. */
export async function createHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const prepared = await prepareHttpServer(options);
  return prepared.open();
}

/** Everything of the web interface except its port, which `open` opens. */
export async function prepareHttpServer(options: HttpServerOptions): Promise<PreparedHttpServer> {
  const { control, extensions, transport, log, isHttpsOnly, bus = null } = options;
  const certificate = options.certificate && new Certificate(options.certificate, log);
  const assets = await loadAssets(options.assetsDir);
  const followers = new Followers();
  const open = new OpenWebSockets();
  const end = (which: (belonging: Belonging) => boolean, reason: string) => {
    followers.end(which);
    open.end(which, reason);
  };

  const authFile = new AuthFile(options.authFile, log);
  const sessions = new Sessions({
    path: options.authFile === null ? null : `${options.authFile}.sessions`,
    lock: options.lock,
    now: () => Date.now(),
    onEnded: (id) => end(({ sessionId }) => sessionId === id, "logged out"),
    log,
  });
  authFile.onChange((previous, next) => {
    sessions.prune(next);
    const revoked = revokedUsers(previous, next);
    for (const user of revoked) log("info", `web user '${user}' was removed or has a new password: sessions and connections are closed`);
    if (revoked.size > 0) end(({ user }) => revoked.has(user), "the password changed or the user was removed");
  });

  let isClosing = false;
  const credentials = new Credentials();
  const loginTokens = new LoginTokens(() => performance.now());
  const throttle = new Throttle(() => performance.now());
  const authenticator = new Authenticator({ authFile, sessions, loginTokens, credentials, throttle, isHttpsOnly, log });
  const gate = new Gate({
    authenticator,
    isKnownHost: knownHosts(options.allowedHosts, control.state),
    allowedOrigins: new Set(options.allowedOrigins),
    isClosing: () => isClosing,
    isShuttingDown: () => control.state.isShuttingDown,
    isHttpsOnly,
  });
  const endSession = (id: string) => {
    sessions.end(id);
    end(({ sessionId }) => sessionId === id, "logged out");
  };
  const listener = new Listener({
    onRequest: (request, response) => onRequest(request, response),
    onUpgrade: (...upgrade) => upgrades.handle(...upgrade),
    secureContext: certificate ? () => certificate.context() : undefined,
    deadlines: options.deadlines,
    limits: options.limits,
    book: options.book ?? null,
    log,
  });
  const parts = extensions.flatMap(({ http }) => http?.metrics ?? []);
  const metrics = new Metrics({ control, transport, connections: listener.connections, bus, parts });
  const services = { followers, assetHash: assets.hash, log };
  const brokers = async () => (await Promise.all(extensions.map(({ http }) => http?.brokers?.() ?? []))).flat();
  const routes = [
    ...pageRoutes(assets),
    ...assetRoutes(assets),
    websocketHintRoute,
    logRoute(control.log, followers),
    saveAllRoute({ source: { control, extensions, assetHash: assets.hash, configFiles: options.configFiles }, followers, log }),
    ...extensions.flatMap(({ http }) => http?.routes?.(services) ?? []),
    metricsRoute(metrics),
    ...(bus === null ? [] : [busRoute(bus, brokers)]),
    schemaRoute(),
    healthRoute(control.state),
    logoutRoute(endSession, isHttpsOnly),
    loginTokenRoute(loginTokens),
  ];
  const remoteOf = (socket: Socket) => listener.remoteOf(socket);
  const onRequest = requestListener({ gate, routes, remoteOf, log });
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
    admitUser: (user: string, password: string, address: string) => authenticator.admitUser(user, password, addressEnd(address)),
    refuse() {
      isClosing = true;
    },
    async close() {
      isClosing = true;
      endWatch();
      followers.end(() => true);
      metrics.close();
      await listener.close();
      await sessions.flush();
    },
  };
  return {
    ...prepared,
    async open() {
      const port = await listener.listen(options.listen, options.localSocket).catch(async (error: unknown) => {
        metrics.close();
        await listener.close();
        throw error;
      });
      // After the port was opened: a manager that cannot get its port must not touch the sessions file.
      const logins = authFile.read();
      let refusals = 0;
      endWatch = everyBeat(REVOCATION_INTERVAL, () => {
        refusals = authFile.read().ok ? 0 : refusals + 1;
        // After two refusals in a row, because an editor may remove the file briefly. Names of web users contain no colon; other users do
        // not need the auth file.
        if (refusals === 2) end(({ user }) => !user.includes(":"), "the auth file has become unusable");
        sessions.refresh();
      });
      return {
        ...prepared,
        port,
        url: urlOf(certificate ? "https" : "http", options.listen.host, port),
        localUrl: urlOf("http", options.listen.host, port),
        loginProblem: logins.ok ? null : logins.refusal,
      };
    },
  };
}

/**
 * Passes Node's requests to the app, which is loaded for the first of them: with Node's `fetch` it has 9 MiB and takes 30 ms of a start, and
 * a manager without a browser does not need it. Never throws.
 */
function requestListener(options: RequestListenerOptions) {
  let listener: Promise<(request: IncomingMessage, response: ServerResponse) => unknown> | null = null;
  const loaded = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      listener ??= import("./request-listener.ts").then((module) => module.requestListener(options));
      const listen = await listener;
      await listen(request, response);
    } catch (error) {
      // The installation below this manager was replaced or removed.
      listener = null;
      options.log("error", `a request cannot be served: ${stackOf(error)}`);
      if (response.headersSent) response.destroy();
      else refuse(response, UNLOADED);
    }
  };
  return (request: IncomingMessage, response: ServerResponse) => {
    // The client disconnected during its request: the answer is dropped.
    request.on("error", () => response.destroy());
    // Without a Host header there is no URL for the request.
    if (request.headers.host === undefined) return refuse(response, NO_HOST);
    void loaded(request, response);
  };
}

const UNLOADED = refusal(
  503,
  "The manager cannot load its web interface. Its installation was changed: restart the manager, or see its log.",
);

function revokedUsers(previous: readonly AuthEntry[], next: readonly AuthEntry[]): Set<string> {
  const kept = (before: AuthEntry) => next.some(({ user, secret }) => user === before.user && secret === before.secret);
  return new Set(previous.filter((before) => !kept(before)).map(({ user }) => user));
}
