import { getEventListeners, once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { dialNats } from "../../src/bus/carriers/dial.ts";
import { dialWebsocket } from "../../src/bus/carriers/websocket-stream.ts";

const GREETING = 'INFO {"tls_required":true}\r\n';

let server: Server;
const sockets = new Set<Socket>();

/** The port of a server that runs `serve` with each connection. */
async function listen(serve: (socket: Socket) => void): Promise<number> {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    serve(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  server.close();
});

const DIALS = [
  ["nats", (port: number, signal: AbortSignal) => dialNats(new URL(`nats://127.0.0.1:${port}`), {}, signal)],
  ["ws", (port: number, signal: AbortSignal) => dialWebsocket(new URL(`ws://127.0.0.1:${port}`), {}, signal)],
] as const;

describe.each(DIALS)("dialing %s:// to a server that does not answer", (_scheme, dial) => {
  it("rejects if the signal is already aborted", async () => {
    const port = await listen(() => {});
    await expect(dial(port, AbortSignal.abort())).rejects.toThrow();
  });

  it("rejects when the signal is aborted", async () => {
    const end = new AbortController();
    const port = await listen(() => end.abort());
    await expect(dial(port, end.signal)).rejects.toThrow();
    expect(getEventListeners(end.signal, "abort")).toEqual([]);
  });
});

it("a connection that is closed during the TLS handshake leaves no listener on the signal", async () => {
  const { signal } = new AbortController();
  const port = await listen((socket) => {
    socket.write(GREETING);
    socket.once("data", () => socket.destroy());
  });
  await expect(dialNats(new URL(`nats://127.0.0.1:${port}`), {}, signal)).rejects.toThrow("TLS");
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
