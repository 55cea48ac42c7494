// The peer of many pages: a `ws` server that sends each of its clients the frames of one change after the other, at an even rate, with marks
// that say when they were sent.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { findMark, microseconds, renewMark } from "./upsert-marks.ts";

export interface BareUpsertsQuestion {
  /** The texts of the frames of each change. */
  readonly changes?: readonly (readonly string[])[];
  /** Sends this many changes at this rate. */
  readonly send?: { readonly count: number; readonly perSecond: number };
}

const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
await once(server, "listening");
let changes: Buffer[][] = [];
const clients = new Set<WebSocket>();

server.on("connection", (client) => {
  clients.add(client);
  client.once("close", () => clients.delete(client));
});

process.on("message", ({ changes: texts, send }: BareUpsertsQuestion) => {
  if (texts) changes = texts.map((frames) => frames.map((text) => Buffer.from(text)));
  const { port } = server.address() as AddressInfo;
  const answer = () => process.send?.({ url: `ws://127.0.0.1:${port}/` });
  if (!send) answer();
  else broadcastAll(send, answer);
});
process.on("disconnect", () => process.exit());
process.send?.({});

function broadcastAll({ count, perSecond }: { count: number; perSecond: number }, done: () => void): void {
  const begin = performance.now();
  const start = microseconds();
  let sent = 0;
  const timer = setInterval(() => {
    for (; sent < Math.min(count, ((performance.now() - begin) * perSecond) / 1_000); sent++)
      broadcast(changes[sent % changes.length] ?? [], start + Math.floor((sent * 1e6) / perSecond));
    if (sent < count) return;
    clearInterval(timer);
    done();
  }, 1);
}

/** `due`: when the change had to be made, µs. A server that does not keep up is late by that. */
function broadcast(frames: readonly Buffer[], due: number): void {
  for (const frame of frames) {
    // A copy, because clients that are behind have the last one still.
    const bytes = Buffer.from(frame);
    const mark = findMark(bytes);
    if (mark >= 0) renewMark(bytes, mark, due);
    for (const client of clients) client.send(bytes, { binary: false });
  }
}
