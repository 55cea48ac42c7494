import type { Socket } from "node:net";
import type { SecureContext } from "node:tls";
import { ThrottledWarning, type WarningLog } from "../../../base/throttled-warning.ts";
import { type ByteStream, socketStream } from "../../carriers/byte-stream.ts";
import { listenTcp, type TcpAddress } from "../../carriers/tcp-listener.ts";
import { greetThenSecure } from "../../carriers/tls-stream.ts";
import { listenUnix, type SocketHome } from "../../carriers/unix-listener.ts";
import type { AcceptOptions } from "../permissions.ts";
import { ClientSockets } from "./client-sockets.ts";

export interface TcpOptions extends TcpAddress {
  /** Returns the context of the next handshake; if omitted, connections are not encrypted. */
  readonly secureContext?: (() => SecureContext) | undefined;
  /** Called for each connection that is accepted. */
  readonly accepted?: (socket: Socket) => void;
  /** Authenticates each client. */
  readonly authenticate: NonNullable<AcceptOptions["authenticate"]>;
}

interface ClientListenersOptions {
  /** Maximum number of clients on the TCP ports together. */
  readonly maxClients: number;
  readonly log: WarningLog;
  /** `isRefused`: there is no room; the client is informed and closed. */
  readonly accept: (stream: ByteStream, options: AcceptOptions, isRefused: boolean) => void;
}

/** The unix sockets and TCP ports of a broker. */
export class ClientListeners {
  readonly #accept: ClientListenersOptions["accept"];
  readonly #sockets: ClientSockets;
  readonly #warning: ThrottledWarning;
  readonly #listeners: { close(): Promise<void> }[] = [];
  #isClosed = false;

  constructor({ maxClients, log, accept }: ClientListenersOptions) {
    this.#accept = accept;
    this.#sockets = new ClientSockets(maxClients);
    this.#warning = new ThrottledWarning(log);
  }

  async listenUnix(path: string, home: SocketHome | undefined): Promise<void> {
    const accept = (socket: Socket) => this.#accept(socketStream(socket), { kind: "unix" }, false);
    await this.#add(await listenUnix(path, { accept, failed: (error) => this.#failed(`the bus socket ${path}`, error) }, home));
  }

  /** Listens on a TCP port; resolves with the port. */
  async listenTcp({ secureContext, authenticate, accepted, ...address }: TcpOptions): Promise<number> {
    const accept = (socket: Socket) => {
      const admission = this.#sockets.admit(socket);
      if (admission === "cut") return this.#warning.warn("the bus port has as many connections as it can serve; one was closed");
      accepted?.(socket);
      const logIn: TcpOptions["authenticate"] = (credentials, from) =>
        whenAdmitted(authenticate(credentials, from), () => this.#sockets.keep(socket));
      const options = { kind: "tcp", authenticate: logIn, address: addressOf(socket) } as const;
      const isRefused = admission === "refused";
      if (secureContext) this.#accept(greetThenSecure(socket, secureContext), { ...options, tls: true }, isRefused);
      else this.#accept(socketStream(socket), options, isRefused);
    };
    const listener = await listenTcp(address, { accept, failed: (error) => this.#failed("the bus port", error) });
    await this.#add(listener);
    return listener.port;
  }

  /** Closes all listeners; resolves when the socket files are gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#listeners.splice(0).map((listener) => listener.close()));
  }

  async #add(listener: { close(): Promise<void> }): Promise<void> {
    this.#listeners.push(listener);
    if (this.#isClosed) await listener.close();
  }

  #failed(place: string, error: Error): void {
    this.#warning.warn(`${place} cannot take a connection: ${error.message}`);
  }
}

type Admission = ReturnType<TcpOptions["authenticate"]>;

function whenAdmitted(answer: Admission, act: () => void): Admission {
  if (answer instanceof Promise)
    return answer.then((permissions) => {
      if (permissions !== null) act();
      return permissions;
    });
  if (answer !== null) act();
  return answer;
}

function addressOf({ remoteAddress = "", remotePort = 0 }: Socket): string {
  const ip = remoteAddress.replace(/^::ffff:(?=\d+\.)/i, "");
  return ip.includes(":") ? `[${ip}]:${remotePort}` : `${ip}:${remotePort}`;
}
