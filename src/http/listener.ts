import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { onFirstByte } from "./first-byte.ts";
import type { HttpLog } from "./http-log.ts";
import { type ListenAddress, listen } from "./listen.ts";
import { type Refusal, refusal, refuseOnSocket } from "./refusal.ts";

export interface ListenerOptions {
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => void;
  readonly onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  readonly log: HttpLog;
  /** For tests, ms. */
  readonly firstByteDeadline?: number;
}

/** All in ms. Protocol-decisions, "HTTP": keep-alive 75 s; nobody may be silent for more than 15 s (traps.md). */
const FIRST_BYTE_DEADLINE = 10_000;
const HEADERS_DEADLINE = 10_000;
const REQUEST_DEADLINE = 30_000;
/** Deadlines are looked at this often. */
const CHECK_INTERVAL = 1_000;
const KEEP_ALIVE = 75_000;
/** A client that takes nothing of its answer for this long is cut. */
const STALL_DEADLINE = 60_000;
/** How long answers under way may take once the manager closes. */
const CLOSE_GRACE = 2_000;
const MAX_CONNECTIONS = 1_024;
const MAX_HEADER_BYTES = 16 * 1024;

/** The one port: one HTTP server that listens itself and looks at the first byte of each connection. */
export class Listener {
  readonly #server: Server;
  readonly #log: HttpLog;
  readonly #sockets = new Set<Socket>();
  /** Connections that have not said anything yet: browsers keep such in reserve. */
  readonly #silent = new Set<Socket>();
  /** Connections with an answer under way. */
  readonly #answering = new Set<Duplex>();

  constructor({ onRequest, onUpgrade, log, firstByteDeadline = FIRST_BYTE_DEADLINE }: ListenerOptions) {
    this.#log = log;
    this.#server = createServer({
      headersTimeout: HEADERS_DEADLINE,
      requestTimeout: REQUEST_DEADLINE,
      connectionsCheckingInterval: CHECK_INTERVAL,
      keepAliveTimeout: KEEP_ALIVE,
      maxHeaderSize: MAX_HEADER_BYTES,
      noDelay: true,
      // Finds out about peers that vanished while they follow a log.
      keepAlive: true,
      keepAliveInitialDelay: 30_000,
    });
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.timeout = STALL_DEADLINE;
    this.#server.on("timeout", (socket) => this.#timedOut(socket));
    this.#server.on("request", (request, response) => {
      this.#answering.add(request.socket);
      response.once("close", () => this.#answering.delete(request.socket));
      onRequest(request, response);
    });
    this.#server.on("upgrade", onUpgrade);
    this.#server.on("clientError", (error, socket) => this.#malformed(error, socket));
    this.#sniff(firstByteDeadline);
  }

  /** Resolves with the port. Rejects with MgrError `conflict`. */
  async listen(address: ListenAddress): Promise<number> {
    const port = await listen(this.#server, address);
    this.#server.on("error", (error) => this.#log("error", `the web interface's port: ${error.message}`));
    return port;
  }

  /** Takes no more connections, lets answers end, cuts what is left after a grace time. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    for (const socket of this.#silent) socket.destroy();
    const cut = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, CLOSE_GRACE);
    await closed;
    clearTimeout(cut);
  }

  /** Node's own way of serving a connection is called once the first byte has come. */
  #sniff(deadline: number): void {
    const [serve] = this.#server.listeners("connection") as ((this: Server, socket: Socket) => void)[];
    if (!serve) throw new Error("node:http no longer serves connections by a listener of its own");
    this.#server.removeAllListeners("connection");
    this.#server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      this.#silent.add(socket);
      socket.once("close", () => {
        this.#sockets.delete(socket);
        this.#silent.delete(socket);
      });
      onFirstByte(socket, deadline, () => {
        this.#silent.delete(socket);
        serve.call(this.#server, socket);
      });
    });
  }

  /** Silence is allowed while an answer is open and the client has taken all of it so far (a log follower). */
  #timedOut(socket: Socket): void {
    if (!this.#answering.has(socket) || socket.writableLength > 0) socket.destroy();
  }

  #malformed(error: NodeJS.ErrnoException, socket: Duplex): void {
    // In the middle of an answer, or of a connection that is gone, nothing can be said any more.
    if (error.code === "ECONNRESET" || this.#answering.has(socket)) socket.destroy();
    else refuseOnSocket(socket, explain(error.code));
  }
}

function explain(code: string | undefined): Refusal {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return refusal(431, `The headers of a request may have at most ${MAX_HEADER_BYTES} bytes.`);
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return refusal(413, "The chunk extensions of this request are too large.");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return refusal(408, "The request did not arrive in time.");
    default:
      return refusal(400, "This is not a HTTP request that can be understood.");
  }
}
