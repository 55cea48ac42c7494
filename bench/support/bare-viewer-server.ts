// The peer of the Foxglove door: a `ws` server that sends the same binary messages to all its clients, at a rate or as fast as they take them. It makes
// the messages itself, so it has neither a bus nor permissions, queues, or a second program.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { PAYLOAD_BYTES, stampedPayload } from "./stamped-payload.ts";

/** Waiting bytes of a client beyond which it gets nothing for the moment: what the manager allows. */
const AHEAD_BYTES = 256 * 1024;
const HEADER_BYTES = 13;
const BURST = 16;
const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
await once(server, "listening");
const clients = new Set<WebSocket>();
let rate: number | null = 0;
let begin = performance.now();
let sent = 0;

server.on("connection", (client) => {
  clients.add(client);
  client.once("close", () => clients.delete(client));
});

function broadcast(): void {
  sent++;
  const payload = stampedPayload();
  for (const client of clients) {
    if (client.bufferedAmount >= AHEAD_BYTES) continue;
    const frame = Buffer.allocUnsafe(HEADER_BYTES + PAYLOAD_BYTES);
    frame[0] = 1;
    frame.writeUInt32LE(1, 1);
    frame.writeBigUInt64LE(BigInt(Date.now()) * 1_000_000n, 5);
    frame.write(payload, HEADER_BYTES, "latin1");
    client.send(frame, { compress: false });
  }
}

setInterval(() => {
  if (rate === null) return;
  const due = Math.floor(((performance.now() - begin) / 1_000) * rate);
  while (sent < due) broadcast();
}, 1);

function flood(): void {
  if (rate !== null) return;
  for (let n = 0; n < BURST; n++) broadcast();
  setImmediate(flood);
}

process.on("message", (question: { rate: number | null }) => {
  rate = question.rate;
  [begin, sent] = [performance.now(), 0];
  flood();
  process.send?.({ url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/` });
});
process.on("disconnect", () => process.exit());
process.send?.({});
