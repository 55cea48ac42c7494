import { createServer, type Socket } from "node:net";
import { bind, type TcpAddress } from "./bind.ts";

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
  const port = await bind(server, address, "instance.bus_listen");
  server.on("error", handlers.failed);
  return { port, close: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}
