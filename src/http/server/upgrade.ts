import { type IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { Control } from "../../actors/control.ts";
import { type Grant, needText, roleOn } from "../../base/access/access.ts";
import { isWithin } from "../../base/text/names.ts";
import { TurnShare } from "../../base/timing/turns.ts";
import type { BrokerPermissions } from "../../bus/broker/permissions.ts";
import type { TrafficLabel } from "../../bus/carriers/peer-traffic.ts";
import { tuneSocket } from "../../bus/carriers/socket-tuning.ts";
import { BUS_PATH, MAX_FRAME_BYTES, websocketStream } from "../../bus/carriers/websocket-stream.ts";
import { WEBSOCKET_SERVER_OPTIONS } from "../../transport/oversize.ts";
import { isRefusal as isViewRefusal, parseViewMode, type RequestedView } from "../../transport/view.ts";
import type { Transport } from "../../transport/websocket.ts";
import type { Gate, Visit } from "../access/gate.ts";
import { routeRefusal } from "../access/route-permission.ts";
import type { Admission } from "../auth/authenticate.ts";
import { parseAuthorization } from "../auth/authorization.ts";
import type { SocketRoute } from "../extension.ts";
import { type HttpLog, stackOf } from "../log/http-log.ts";
import { clientName } from "../request/client-name.ts";
import { isRefusal, type Refusal, refusal, refuseOnSocket } from "../request/refusal.ts";
import { formatAddress, type RemoteEnd } from "../request/remote-end.ts";
import { type RequestHeaders, rawHeaders } from "../request/request-headers.ts";
import type { BusUpgrade } from "./bus-upgrade.ts";
import type { Belonging, OpenWebSockets } from "./open-connections.ts";

export interface UpgradesOptions {
  readonly gate: Gate;
  readonly control: Control;
  readonly transport: Pick<Transport, "accept" | "connect">;
  readonly open: OpenWebSockets;
  /** The bus behind `/mgr/bus`, if there is one. */
  readonly bus: BusUpgrade | null;
  /** WebSockets of features. */
  readonly sockets: readonly SocketRoute[];
  readonly remoteOf: (socket: Socket) => RemoteEnd;
  /** Sets the label of the traffic that the connection carries from now on. */
  readonly label: (socket: Socket, label: TrafficLabel) => void;
  /** Serves a request that offers an upgrade which is not supported (RFC 9110, 7.8: it is ignored). */
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => void;
  readonly log: HttpLog;
}

/** Maximum number of upgrades in one turn of the event loop: when a manager comes back, all of its hosts and pages connect at once. */
const MAX_UPGRADES_PER_TURN = 32;

interface BusVisit {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly headers: RequestHeaders;
  readonly visit: Visit;
}

interface SocketVisit {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly outcome: Admission;
  readonly query: URLSearchParams;
}

/** A WebSocket of a feature. */
interface ExtraSocket {
  readonly route: SocketRoute;
  readonly server: WebSocketServer;
}

/** Upgrades pass the same access checks as requests; framework middleware never sees them. */
export class Upgrades {
  readonly #options: UpgradesOptions;
  readonly #server = new WebSocketServer(WEBSOCKET_SERVER_OPTIONS);
  readonly #busServer = new WebSocketServer({
    ...WEBSOCKET_SERVER_OPTIONS,
    maxPayload: MAX_FRAME_BYTES,
    // The broker divides its work into turns by itself.
    allowSynchronousEvents: true,
  });
  /** WebSockets of features by path. */
  readonly #sockets: ReadonlyMap<string, ExtraSocket>;
  readonly #cookies = new WeakMap<IncomingMessage, string>();
  readonly #turns = new TurnShare({ units: MAX_UPGRADES_PER_TURN });

  constructor(options: UpgradesOptions) {
    this.#options = options;
    this.#sockets = new Map(
      options.sockets.map((route) => {
        const { subprotocols } = route;
        const server = new WebSocketServer({
          ...WEBSOCKET_SERVER_OPTIONS,
          maxPayload: route.maxFrameBytes,
          ...(subprotocols && { handleProtocols: (offered) => subprotocols.find((each) => offered.has(each)) ?? false }),
        });
        return [route.path, { route, server }];
      }),
    );
    for (const server of [this.#server, this.#busServer, ...[...this.#sockets.values()].map((each) => each.server)]) {
      server.on("headers", (headers, request) => {
        const cookie = this.#cookies.get(request);
        if (cookie !== undefined) headers.push(`Set-Cookie: ${cookie}`);
      });
      server.on("wsClientError", ({ message }, socket, request) => refuseOnSocket(socket, badHandshake(message, request.method)));
    }
  }

  handle(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // The listener is added first: a reset while the upgrade is being checked would be an uncaught exception.
    socket.on("error", () => socket.destroy());
    if (request.headers.upgrade?.toLowerCase() !== "websocket") {
      this.#serveAsRequest(request, socket);
      return;
    }
    this.#upgrade(request, socket, head).catch((error: unknown) => {
      // The path is logged without the query, which may hold a login token.
      this.#options.log("error", `upgrade of ${request.url?.split("?")[0]} failed: ${stackOf(error)}`);
      refuseOnSocket(socket, refusal(500, "Internal error. See the manager's log for details."));
    });
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { gate, control, remoteOf, label } = this.#options;
    await this.#turns.pass();
    if (socket.destroyed) return;
    const url = targetOf(request.url ?? "");
    if (url === null) return refuseOnSocket(socket, refusal(400, "Malformed request URL."));
    const extra = this.#sockets.get(url.pathname);
    const { isShared = true, hasEffects = false, takesUrlToken = false } = extra?.route ?? {};
    const visit: Visit = { remote: remoteOf(request.socket), url, isShared, hasEffects, isLogin: false, takesUrlToken };
    const headers = rawHeaders(request);
    if (url.pathname === BUS_PATH) return this.#upgradeToBus({ request, socket, head, headers, visit });
    const outcome = await gate.admit(headers, visit);
    if (socket.destroyed) return;
    if (isRefusal(outcome)) return refuseOnSocket(socket, outcome);
    const { grants } = outcome.principal;
    const forbidden = extra ? routeRefusal(extra.route, { query: url.searchParams, grants, state: control.state }) : null;
    if (forbidden !== null) return refuseOnSocket(socket, forbidden);
    if (extra) return this.#upgradeToSocket(extra, { request, socket, head, outcome, query: url.searchParams });
    if (url.pathname !== "/ws") return refuseOnSocket(socket, notFound(url, [...this.#sockets.keys()]));
    const mode = parseViewMode(url.searchParams, stateFor(outcome.principal.grants, control.state));
    if (isViewRefusal(mode)) return refuseOnSocket(socket, refusal(mode.status, mode.message));
    if (outcome.setCookie !== null) this.#cookies.set(request, outcome.setCookie);
    const isRemote = url.searchParams.get("client") === "mgr_remote";
    const { user } = outcome.principal;
    label(request.socket, isRemote ? { kind: "mgr_remote", name: user } : { kind: "web", name: "websocket" });
    const client = clientName(headers, url.searchParams);
    this.#server.handleUpgrade(request, socket, head, (ws) => this.#accept(ws, { mode, client }, outcome, socket));
  }

  async #upgradeToBus({ request, socket, head, headers, visit }: BusVisit): Promise<void> {
    const { gate, bus, open, label } = this.#options;
    const refused = gate.check(headers, visit);
    if (refused) return refuseOnSocket(socket, refused);
    if (bus === null) return refuseOnSocket(socket, refusal(404, "This manager has no bus."));
    if (bus.otherAddress !== null) return refuseOnSocket(socket, refusal(404, `The bus of this manager is at ${bus.otherAddress}.`));
    const authorization = parseAuthorization(headers.get("authorization"));
    const bearer = authorization.scheme === "bearer" ? bus.permissionsOf(authorization.token) : null;
    const address = formatAddress(visit.remote);
    const enter = (permissions: BrokerPermissions, belonging: Belonging) =>
      this.#busServer.handleUpgrade(request, socket, head, (ws) => {
        label(request.socket, labelOf(permissions));
        open.add(ws, belonging);
        bus.accept(websocketStream(ws, tuneSocket(request.socket)), { kind: "websocket", permissions, address });
      });
    // A client with a token is not a web user: names of web users contain no colon.
    if (bearer !== null) return enter(bearer, { principal: null, sessionId: null });
    const outcome = await gate.admit(headers, visit);
    if (socket.destroyed) return;
    if (isRefusal(outcome)) return refuseOnSocket(socket, outcome);
    if (outcome.setCookie !== null) this.#cookies.set(request, outcome.setCookie);
    const { principal, sessionId } = outcome;
    const permissions = bus.permissionsOfUser(principal.user, principal.grants);
    if (permissions === null)
      return refuseOnSocket(socket, refusal(403, `${BUS_PATH} needs ${needText("viewer")} on at least one process.`));
    enter(permissions, { principal, sessionId });
  }

  async #upgradeToSocket({ route, server }: ExtraSocket, { request, socket, head, outcome, query }: SocketVisit): Promise<void> {
    const { open, label, transport } = this.#options;
    const { principal, sessionId, setCookie } = outcome;
    const opened = await route.open({ principal, query, socket, connect: transport.connect });
    if (socket.destroyed) return;
    if (isRefusal(opened)) return refuseOnSocket(socket, opened);
    if (setCookie !== null) this.#cookies.set(request, setCookie);
    server.handleUpgrade(request, socket, head, (ws) => {
      label(request.socket, opened.label);
      open.add(ws, { principal, sessionId });
      opened.serve(ws);
    });
  }

  #accept(
    ws: WebSocket,
    { mode, client }: { mode: RequestedView; client: string | null },
    { principal, sessionId }: Admission,
    socket: Duplex,
  ): void {
    const { open, transport, log } = this.#options;
    open.add(ws, { principal, sessionId });
    try {
      transport.accept(ws, { principal, mode, client, address: principal.address, socket });
    } catch (error) {
      // The 101 has been sent: it is too late to refuse.
      log("error", `serving a WebSocket failed: ${stackOf(error)}`);
      ws.terminate();
    }
  }

  #serveAsRequest(request: IncomingMessage, socket: Duplex): void {
    if (!(socket instanceof Socket)) {
      refuseOnSocket(socket, refusal(400, "Unsupported upgrade: use 'websocket'."));
      return;
    }
    const response = new ServerResponse(request);
    // The parser is detached from this connection: it ends with this answer.
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once("finish", () => socket.destroySoon());
    this.#options.onRequest(request, response);
  }
}

/** A name that the user may not see does not exist for a focused connection. */
function stateFor(grants: readonly Grant[], state: Control["state"]): Pick<Control["state"], "process" | "hasGroup"> {
  const isSeen = (name: string) => roleOn(grants, name) !== null;
  return {
    process: (name) => (isSeen(name) ? state.process(name) : undefined),
    hasGroup: (name) => state.hasGroup(name) && state.processes().some((each) => isWithin(each.name, name) && isSeen(each.name)),
  };
}

function targetOf(target: string): URL | null {
  if (!target.startsWith("/")) return null;
  // Prefixed as text, so that `//evil/ws` is a path and not a host.
  const url = `http://localhost${target}`;
  return URL.canParse(url) ? new URL(url) : null;
}

/** The label of a daemon, or of a program that is a client of the manager's broker. */
function labelOf({ user = "", identity }: BrokerPermissions): TrafficLabel {
  return identity === undefined && user.startsWith("host:")
    ? { kind: "daemon", name: user.slice("host:".length) }
    : { kind: "client", name: identity?.name ?? user };
}

function notFound({ pathname }: URL, others: readonly string[]): Refusal {
  const rest = others.length === 0 ? "" : `, others at ${others.join(" and ")}`;
  return refusal(404, `There is no WebSocket at ${JSON.stringify(pathname)}; the protocol is at /ws, the bus at ${BUS_PATH}${rest}.`);
}

/** `problem` is the message of ws, without a final period. */
function badHandshake(problem: string, method = ""): Refusal {
  if (method !== "GET") return refusal(405, "A WebSocket upgrade must be a GET request.", { Allow: "GET" });
  return refusal(400, `Not a WebSocket handshake of version 13 (${problem}).`, { "Sec-WebSocket-Version": "13" });
}
