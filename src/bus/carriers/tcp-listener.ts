import { createServer, type Server, type Socket } from "node:net";
import { MgrError, messageOf } from "../../base/errors.ts";
import { portOwner } from "./port-owner.ts";
import { serverDescriptor } from "./socket-handle.ts";

export interface TcpAddress {
  /** "" is every interface; `localhost` is 127.0.0.1. */
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
}

/**
 * Listens on an address; resolves with the port. Rejects with MgrError `conflict` if the port is not available: the message names the port,
 * its owner if that is visible, and the configuration key (`setting`) that changes it.
 */
export async function bind(server: Server, address: TcpAddress, setting: string): Promise<number> {
  const { host, port } = address;
  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error) => reject(cannotBind(address, setting, error));
    server.once("error", fail);
    server.listen({ ...(host === "" ? {} : { host: bindHost(host) }), port }, () => {
      server.off("error", fail);
      resolve();
    });
  });
  const bound = server.address();
  return bound !== null && typeof bound === "object" ? bound.port : port;
}

/** `localhost` is not resolved by name: if the resolver returned ::1 first, programs that use 127.0.0.1 for it could not connect. */
export function bindHost(host: string): string {
  return host.toLowerCase() === "localhost" ? "127.0.0.1" : host;
}

/** Error that says why an address is not available, from the error of `bind`. */
export function cannotBind({ host, port }: TcpAddress, setting: string, cause: NodeJS.ErrnoException): MgrError {
  const place = host === "" ? `port ${port}` : `port ${port} of ${host}`;
  const refuse = (sentence: string) => new MgrError("conflict", sentence, { cause, details: { port } });
  switch (cause.code) {
    case "EADDRINUSE":
      return refuse(`${place} is taken by ${portOwner(port) ?? "another program"}; end it, or set another port in ${setting}`);
    case "EACCES":
      return refuse(`${place} may not be used by this user; ports below 1024 are for root: set a higher one in ${setting}`);
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return refuse(`'${host}' is not an address of this machine; set ${setting} to one, or to ':${port}' for every interface`);
    default:
      return refuse(`cannot listen on ${place} (${setting}): ${messageOf(cause)}`);
  }
}

interface ListenerHandlers {
  accept(socket: Socket): void;
  /** Called when a connection could not be accepted, for example because no file descriptor was free; listening continues. */
  failed(error: Error): void;
}

export interface TcpListener {
  readonly port: number;
  /** Descriptor of the listening socket, -1 if it is closed. */
  descriptor(): number;
  close(): Promise<void>;
}

const ACCEPTED = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 };

/** Listens on a TCP port. Rejects with `conflict` if it is not available. */
export async function listenTcp(address: TcpAddress, { accept, failed }: ListenerHandlers): Promise<TcpListener> {
  const server = createServer(ACCEPTED, accept);
  const port = await bind(server, address, "instance.bus_listen");
  server.on("error", failed);
  return listenerOf(server, port);
}

/** Listens with a socket that listens already, of an earlier program. Throws if it is none. */
export function adoptTcp(descriptor: number, { accept, failed }: ListenerHandlers): TcpListener {
  const server = createServer(ACCEPTED, accept);
  server.on("error", failed);
  // Within this call, as for a path.
  server.listen({ fd: descriptor });
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new MgrError("internal", `descriptor ${descriptor} is no listening TCP socket; the bus gets another port`);
  return listenerOf(server, address.port);
}

function listenerOf(server: Server, port: number): TcpListener {
  return { port, descriptor: () => serverDescriptor(server), close: () => new Promise((resolve) => server.close(() => resolve())) };
}
