// The peer of the fan-out: a `ws` server that sends frames of given sizes to all its clients as fast as they take them, and
// sends back what it is told. Clients of `/quiet` get only that.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";

/** Waiting bytes of a client beyond which it gets nothing for the moment: what the manager's outbox allows. */
const AHEAD_BYTES = 1024 * 1024;

const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
await once(server, "listening");
let frames: Buffer[] = [];
let next = 0;
const listeners = new Set<WebSocket>();

server.on("connection", (client, { url }) => {
  if (url !== "/quiet") listeners.add(client);
  client.on("message", (data: Buffer) => client.send(data, { binary: false }));
  client.once("close", () => listeners.delete(client));
});

process.on("message", (question: { sizes?: number[] }) => {
  if (question.sizes) frames = question.sizes.map((size) => Buffer.alloc(size, "x"));
  process.send?.({ url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/` });
});
process.on("disconnect", () => process.exit());
process.send?.({});
broadcast();

function broadcast(): void {
  if (listeners.size === 0) {
    setTimeout(broadcast, 10);
    return;
  }
  for (let burst = 0; burst < 16 && frames.length > 0; burst++) {
    const frame = frames[next++ % frames.length];
    if (frame === undefined) break;
    for (const client of listeners) if (client.bufferedAmount < AHEAD_BYTES) client.send(frame, { binary: false });
  }
  setImmediate(broadcast);
}
