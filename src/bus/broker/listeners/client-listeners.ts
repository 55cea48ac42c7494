import { Socket } from "node:net";
import type { SecureContext } from "node:tls";
import { messageOf } from "../../../base/errors.ts";
import { ThrottledWarning, type WarningLog } from "../../../base/throttled-warning.ts";
import { type ByteStream, socketStream } from "../../carriers/byte-stream.ts";
import { adoptTcp, listenTcp, type TcpAddress, type TcpListener } from "../../carriers/tcp-listener.ts";
import { greetThenSecure } from "../../carriers/tls-stream.ts";
import { listenUnix, type SocketHome } from "../../carriers/unix-listener.ts";
import type { AcceptOptions } from "../permissions.ts";
import { ClientSockets } from "./client-sockets.ts";

export interface TcpOptions {
  /** Returns the context of the next handshake; if omitted, connections are not encrypted. */
  readonly secureContext?: (() => SecureContext) | undefined;
  /** Called for each connection that is accepted. */
  readonly accepted?: (socket: Socket) => void;
  /** Authenticates each client. */
  readonly authenticate: NonNullable<AcceptOptions["authenticate"]>;
}

interface AdoptedClient {
  readonly address: string;
  /** Whether it has logged in. */
  readonly isKnown: boolean;
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
  #tcp: TcpListener | null = null;
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
  async listenTcp({ host, port, ...options }: TcpOptions & TcpAddress): Promise<number> {
    const listener = await listenTcp({ host, port }, this.#handlersOf(options));
    this.#tcp = listener;
    await this.#add(listener);
    return listener.port;
  }

  /** Descriptor of the TCP port, for a program that continues it; -1: there is none. */
  get tcpDescriptor(): number {
    return this.#tcp?.descriptor() ?? -1;
  }

  /** Listens with the socket of an earlier program, and returns its port. Throws if it is none. */
  adoptTcp(descriptor: number, options: TcpOptions): number {
    this.#tcp = adoptTcp(descriptor, this.#handlersOf(options));
    this.#listeners.push(this.#tcp);
    return this.#tcp.port;
  }

  /** The stream of a client that an earlier program served. Null: there is no room, or the descriptor is no connection. */
  adoptClient(descriptor: number, { address, isKnown }: AdoptedClient, { authenticate, accepted }: TcpOptions) {
    let socket: Socket;
    try {
      socket = new Socket({ fd: descriptor });
    } catch (error) {
      this.#warning.warn(`a connection of ${address} was not continued: ${messageOf(error)}`);
      return null;
    }
    if (this.#sockets.admit(socket) !== "admitted") {
      socket.destroy();
      this.#warning.warn(`a connection of ${address} was not continued: there is no room for it`);
      return null;
    }
    if (isKnown) this.#sockets.keep(socket);
    accepted?.(socket);
    return { stream: socketStream(socket), accepted: this.#optionsOf(socket, address, authenticate) };
  }

  #handlersOf({ secureContext, authenticate, accepted }: TcpOptions) {
    const accept = (socket: Socket) => {
      const admission = this.#sockets.admit(socket);
      if (admission === "cut") return this.#warning.warn("the bus port has as many connections as it can serve; one was closed");
      accepted?.(socket);
      const options = this.#optionsOf(socket, addressOf(socket), authenticate);
      const isRefused = admission === "refused";
      if (secureContext) this.#accept(greetThenSecure(socket, secureContext), { ...options, tls: true }, isRefused);
      else this.#accept(socketStream(socket), options, isRefused);
    };
    return { accept, failed: (error: Error) => this.#failed("the bus port", error) };
  }

  #optionsOf(socket: Socket, address: string, authenticate: TcpOptions["authenticate"]): AcceptOptions {
    const logIn: TcpOptions["authenticate"] = (credentials, from) =>
      whenAdmitted(authenticate(credentials, from), () => this.#sockets.keep(socket));
    return { kind: "tcp", authenticate: logIn, address };
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
