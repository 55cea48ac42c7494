import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A bare connection to a NATS server on loopback, past its handshake. */
export async function natsSocket(port: number, token?: string): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(`CONNECT ${JSON.stringify({ verbose: false, pedantic: false, headers: true, auth_token: token })}\r\n`);
  await pong(socket);
  return socket;
}

/** Resolves when the server has processed what was written before. */
export function pong(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    const ended = () => reject(new Error(`the server closed the connection: ${said}`));
    const look = (chunk: Buffer) => {
      said += chunk.toString("latin1");
      if (!said.endsWith("PONG\r\n")) return;
      socket.off("data", look).off("close", ended);
      resolve();
    };
    socket.on("data", look).once("close", ended);
    socket.write("PING\r\n");
  });
}

/** Resolves when the publisher's server knows what the subscriber wants: interest is announced in order. */
export async function linked(publisher: Socket, subscriber: Socket): Promise<void> {
  const heard = once(subscriber, "data");
  subscriber.write("SUB topic.bench.linked 2\r\n");
  const probe = setInterval(() => publisher.write("PUB topic.bench.linked 0\r\n\r\n"), 5);
  await heard;
  clearInterval(probe);
  subscriber.write("UNSUB 2\r\n");
  await pong(subscriber);
}
