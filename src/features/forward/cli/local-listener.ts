import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { messageOf } from "../../../base/errors.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { MAX_FORWARD_CONNECTIONS } from "../forward-socket.ts";

const LOOPBACK = "127.0.0.1";

/** Listens on the loopback interface of this machine, and nowhere else. Connections are not read before they are piped. Throws CommandFailure. */
export async function listenLocally(port: number, onConnection: (socket: Socket) => void): Promise<Server> {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true });
  server.maxConnections = MAX_FORWARD_CONNECTIONS;
  server.on("connection", (socket: Socket) => {
    socket.on("error", () => socket.destroy());
    onConnection(socket);
  });
  server.listen(port, LOOPBACK);
  try {
    await once(server, "listening");
  } catch (error) {
    throw new CommandFailure(
      EXIT.failed,
      `cannot listen on ${LOOPBACK}:${port}: ${messageOf(error)}. Give another local port, or 0 for a free one: mgr forward 0:HOST:PORT`,
    );
  }
  return server;
}
