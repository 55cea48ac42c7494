import { createServer, type Server, type Socket } from "node:net";
import { MgrError, messageOf } from "../base/errors.ts";

export interface TcpAddress {
  /** "" is every interface; `localhost` is 127.0.0.1. */
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
}

/** Listens on a TCP port. Rejects with `conflict` when it cannot be had. */
export async function listenTcp(
  address: TcpAddress,
  handlers: {
    accept(socket: Socket): void;
    /** One connection could not be taken, for example for want of file descriptors; the port goes on. */
    failed(error: Error): void;
  },
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 }, handlers.accept);
  await new Promise<void>((resolve, reject) => {
    const refuse = (cause: Error) => reject(refusalOf(address, cause));
    server.once("error", refuse);
    server.listen({ ...(address.host === "" ? {} : { host: bindHost(address.host) }), port: address.port }, () => {
      server.off("error", refuse);
      server.on("error", handlers.failed);
      resolve();
    });
  });
  return { port: portOf(server), close: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

function portOf(server: Server): number {
  const bound = server.address();
  return bound !== null && typeof bound === "object" ? bound.port : 0;
}

/** Not left to the resolver: where it says ::1 first, every program that takes 127.0.0.1 for localhost would fail. */
function bindHost(host: string): string {
  return host.toLowerCase() === "localhost" ? "127.0.0.1" : host;
}

function refusalOf({ host, port }: TcpAddress, cause: NodeJS.ErrnoException): MgrError {
  const place = `port ${port} of ${host === "" ? "every interface" : host}`;
  const hint =
    cause.code === "EADDRINUSE"
      ? "another program has it; choose another one, or port 0 for any that is free"
      : cause.code === "EACCES"
        ? "ports below 1024 are for root"
        : `${messageOf(cause)}`;
  return new MgrError("conflict", `the bus cannot listen on ${place} (instance.bus_listen): ${hint}`, { cause });
}
