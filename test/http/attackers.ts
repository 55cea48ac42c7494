import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

/** The beginning of a ClientHello, as openssl sends it. */
const CLIENT_HELLO = Buffer.from("1603010200010001fc0303", "hex");
const HALF_HEADERS = "GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ";

interface Target {
  readonly port: number;
  /** Between the bytes of one who drips, ms. */
  readonly drip: number;
}

/** Clients that never come to the point. Each opens its connection at once. */
export const ATTACKS: Record<string, (target: Target) => Socket> = {
  "a silent socket": ({ port }) => connect(port, "127.0.0.1"),
  "a lone 0x16": ({ port }) => saying(port, Buffer.from([0x16])),
  "half a ClientHello": ({ port }) => saying(port, CLIENT_HELLO),
  "half headers": ({ port }) => saying(port, Buffer.from(HALF_HEADERS)),
  "a byte now and then": ({ port, drip }) => dripping(connect(port, "127.0.0.1"), drip),
  "silence within TLS": ({ port }) => secure(port),
  "half headers within TLS": ({ port }) => {
    const socket = secure(port);
    socket.write(HALF_HEADERS);
    return socket;
  },
  "a byte now and then within TLS": ({ port, drip }) => dripping(secure(port), drip),
  "a body that does not come": ({ port }) =>
    saying(port, Buffer.from("POST /mgr/logout HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nx")),
};

function saying(port: number, bytes: Buffer): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.write(bytes);
  return socket;
}

function secure(port: number): Socket {
  return connectTls({ host: "127.0.0.1", port, rejectUnauthorized: false });
}

function dripping(socket: Socket, pause: number): Socket {
  let position = 0;
  const timer = setInterval(() => socket.write(HALF_HEADERS[position++ % HALF_HEADERS.length] ?? ""), pause);
  socket.once("close", () => clearInterval(timer));
  return socket;
}

/** Resolves when it was closed from the other side. */
export function ended(socket: Socket): Promise<void> {
  socket.on("error", () => socket.destroy());
  socket.on("end", () => socket.destroy());
  socket.resume();
  return new Promise((resolve) => socket.once("close", () => resolve()));
}
