import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { SecureContext } from "node:tls";
import { ThrottledWarning } from "../../base/throttled-warning.ts";
import { descriptorBudget } from "../../bus/carriers/descriptor-budget.ts";
import type { PeerTrafficBook, TrafficLabel } from "../../bus/carriers/peer-traffic.ts";
import { bind, type TcpAddress } from "../../bus/carriers/tcp-listener.ts";
import type { HttpLog } from "../log/http-log.ts";
import { type Refusal, refusal, refuseOnSocket } from "../request/refusal.ts";
import { type RemoteEnd, remoteEnd } from "../request/remote-end.ts";
import { type ConnectionLimits, Connections } from "./connections.ts";
import { onFirstByte, shakeHands, TLS_HANDSHAKE } from "./first-byte.ts";
import { LocalSocket, type LocalSocketOptions } from "./local-socket.ts";

/** All in ms. Clients that do not complete a request within 15 s are disconnected (docs/design/wire-rules.md, "HTTP refusals"). */
export interface Deadlines {
  /** Time from the connection to the end of its first request's headers: silence, TLS handshake, headers. */
  readonly opening: number;
  /** Time for the headers of each request, from their first byte. */
  readonly headers: number;
  /** Time for a whole request, from its first byte. */
  readonly request: number;
  /** Interval at which the deadlines of headers and requests are checked. */
  readonly check: number;
  readonly keepAlive: number;
  /** A client that reads nothing of its answer for this long is disconnected. */
  readonly stall: number;
}

export interface ListenerOptions {
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => void;
  readonly onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  readonly log: HttpLog;
  /** Returns the context for the next TLS handshake; omitted: there is no HTTPS. */
  readonly secureContext?: (() => SecureContext) | undefined;
  readonly deadlines?: Partial<Deadlines> | undefined;
  readonly limits?: Partial<ConnectionLimits> | undefined;
  /** Counts the bytes of connections. */
  readonly book?: PeerTrafficBook | null;
}

const DEADLINES: Deadlines = { opening: 12_000, headers: 10_000, request: 12_000, check: 2_000, keepAlive: 75_000, stall: 60_000 };
const LIMITS: ConnectionLimits = { total: 1_024, perAddress: 256 };
/** Time for a connection beyond the limits to begin its request, which is then refused, ms. */
const REFUSAL_DEADLINE_MS = 1_000;
/** Time for answers in progress once the manager closes, ms. */
const CLOSE_GRACE_MS = 2_000;
const MAX_HEADER_BYTES = 16 * 1024;
const FULL = refusal(503, "Too many connections. Try again in a few seconds.", { "Retry-After": "5" });

/** The one port: one HTTP server that listens itself and checks the first byte of each connection. */
export class Listener {
  readonly connections: Connections;
  readonly #options: ListenerOptions;
  readonly #deadlines: Deadlines;
  readonly #server: Server;
  readonly #serve: (socket: Socket) => void;
  readonly #locals: LocalSocket[] = [];
  readonly #acceptFailures: ThrottledWarning;
  /** The underlying connection of each TLS one. */
  readonly #below = new WeakMap<Duplex, Socket>();
  /** Number of answers in progress on a connection: pipelined requests wait for each other. */
  readonly #answering = new Map<Duplex, number>();
  /** Connections with garbage after a request: they end with the answer to it. */
  readonly #ending = new WeakSet<Duplex>();

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#deadlines = { ...DEADLINES, ...options.deadlines };
    this.connections = new Connections({ ...LIMITS, ...options.limits }, { book: options.book ?? null });
    this.#acceptFailures = new ThrottledWarning(options.log);
    this.#server = createServer({
      headersTimeout: this.#deadlines.headers,
      requestTimeout: this.#deadlines.request,
      connectionsCheckingInterval: this.#deadlines.check,
      keepAliveTimeout: this.#deadlines.keepAlive,
      maxHeaderSize: MAX_HEADER_BYTES,
      // The request handler refuses a request without this header, with a message.
      requireHostHeader: false,
      noDelay: true,
      // Detects peers that vanished while they follow a log.
      keepAlive: true,
      keepAliveInitialDelay: 30_000,
    });
    this.#server.timeout = this.#deadlines.stall;
    this.#server.on("timeout", (socket) => this.#timedOut(socket));
    this.#server.on("request", (request, response) => this.#request(request, response));
    // An unknown expectation may be ignored (RFC 9110, 10.1.1); Node would refuse it without a message.
    this.#server.on("checkExpectation", (request, response) => this.#request(request, response));
    this.#server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.connections.enter(this.#rawOf(request.socket), "busy");
      options.onUpgrade(request, socket, head);
    });
    this.#server.on("clientError", (error, socket) => this.#malformed(error, socket));
    this.#serve = this.#sniff();
  }

  /**
   * Serves the port, and local programs on unix sockets. Resolves with the port. Rejects with MgrError `conflict`, or as `listenUnix`
   * does.
   */
  async listen(address: TcpAddress, locals: readonly LocalSocketOptions[] = []): Promise<number> {
    const listening = new Promise<void>((resolve) => this.#server.once("listening", resolve));
    // The socket is opened before the port: a client that waits for the socket may send a command at once. Node's server has request deadlines only
    // once it listens.
    for (const local of locals) {
      const socket = new LocalSocket();
      this.#locals.push(socket);
      await socket.listen(local, (connection) => void listening.then(() => this.#open(connection)), this.#options.log);
    }
    const port = await bind(this.#server, address, "instance.manager");
    // If descriptors run out (EMFILE), libuv closes waiting connections or, if another thread has used its spare descriptor, lets them wait; it
    // accepts again once descriptors are available.
    this.#server.on("error", (error) => this.#acceptFailures.warn(`cannot accept a connection: ${error.message}`));
    return port;
  }

  remoteOf(socket: Socket): RemoteEnd {
    return { ...remoteEnd(socket), localUser: this.#localUserOf(socket) };
  }

  #localUserOf(socket: Socket): string | null {
    for (const local of this.#locals) {
      const user = local.userOf(socket);
      if (user !== null) return user;
    }
    return null;
  }

  /** Sets the label of the traffic that the connection carries from now on. */
  label(socket: Socket, label: TrafficLabel): void {
    this.connections.label(this.#rawOf(socket), label);
  }

  /** Accepts no more connections, lets answers finish, and closes the remaining connections after a grace time. */
  async close(): Promise<void> {
    const closed = Promise.all([
      new Promise<void>((resolve) => this.#server.close(() => resolve())),
      ...this.#locals.map((local) => local.close()),
    ]);
    this.#server.closeIdleConnections();
    // Browsers keep spare connections that have not sent anything yet.
    this.connections.destroyOpening();
    const cut = setTimeout(() => {
      this.connections.destroyAll();
      for (const local of this.#locals) local.destroyAll();
    }, CLOSE_GRACE_MS);
    await closed;
    clearTimeout(cut);
  }

  /** Returns Node's own connection handler, to be called once the protocol is known. */
  #sniff(): (socket: Socket) => void {
    const [serve] = this.#server.listeners("connection") as ((this: Server, socket: Socket) => void)[];
    if (!serve) throw new Error("node:http no longer serves connections by a listener of its own");
    this.#server.removeAllListeners("connection");
    this.#server.on("connection", (socket: Socket) => {
      if (this.connections.admit(socket)) this.#open(socket);
      else this.#refuse(socket);
    });
    return (socket) => serve.call(this.#server, socket);
  }

  #open(socket: Socket): void {
    const { opening } = this.#deadlines;
    const timer = setTimeout(() => {
      if (this.connections.isOpening(socket)) socket.destroy();
    }, opening);
    socket.once("close", () => clearTimeout(timer));
    onFirstByte(socket, opening, (firstByte) => {
      const { secureContext } = this.#options;
      if (firstByte !== TLS_HANDSHAKE || !secureContext) return this.#serve(socket);
      shakeHands(socket, secureContext(), (secure) => {
        this.#below.set(secure, socket);
        this.#serve(secure);
      });
    });
  }

  #refuse(socket: Socket): void {
    if (!descriptorBudget.acquire(socket, "refusal")) return void socket.destroy();
    onFirstByte(socket, REFUSAL_DEADLINE_MS, (firstByte) => {
      socket.on("error", () => socket.destroy());
      if (firstByte === TLS_HANDSHAKE) socket.destroy();
      else refuseOnSocket(socket, FULL);
    });
  }

  #request(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const raw = this.#rawOf(socket);
    this.#answering.set(socket, (this.#answering.get(socket) ?? 0) + 1);
    this.connections.enter(raw, "busy");
    response.once("close", () => {
      const left = (this.#answering.get(socket) ?? 1) - 1;
      if (left > 0) return void this.#answering.set(socket, left);
      this.#answering.delete(socket);
      if (this.#ending.has(socket)) socket.end();
      else this.connections.enter(raw, "idle");
    });
    this.#options.onRequest(request, response);
  }

  #rawOf(socket: Socket): Socket {
    return this.#below.get(socket) ?? socket;
  }

  /** A client may be silent while an answer is open and it has read everything so far (a log follower). */
  #timedOut(socket: Socket): void {
    if (!this.#answering.has(socket) || socket.writableLength > 0) socket.destroy();
  }

  #malformed(error: NodeJS.ErrnoException, socket: Duplex): void {
    // On a closed connection there is no answer; in the middle of an answer the connection can only be closed.
    if (error.code === "ECONNRESET") socket.destroy();
    else if (this.#answering.has(socket)) this.#endAfterAnswer(socket);
    else refuseOnSocket(socket, explain(error.code));
  }

  #endAfterAnswer(socket: Duplex): void {
    if (this.#ending.has(socket)) return;
    const cut = setTimeout(() => socket.destroy(), CLOSE_GRACE_MS);
    socket.once("close", () => clearTimeout(cut));
    this.#ending.add(socket);
    // Incoming data is no longer parsed, but unread bytes would turn the close into a reset that loses the answer.
    socket.resume();
  }
}

function explain(code: string | undefined): Refusal {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return refusal(431, `The request headers are too large: at most ${MAX_HEADER_BYTES} bytes.`);
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return refusal(413, "The chunk extensions of this request are too large.");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return refusal(408, "The request did not arrive in time.");
    default:
      return refusal(400, "Malformed HTTP request.");
  }
}
