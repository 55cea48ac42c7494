// The second peer of the fan-out does the same job with the least code: it reads a flooding program's terminal, makes a JSON frame of what has come,
// and sends it to all its clients. `bare-terminal-broadcast.ts PROGRAM ARGUMENT…`
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { spawn } from "node-pty";
import { type WebSocket, WebSocketServer } from "ws";

/** Waiting bytes of a client beyond which it gets nothing for the moment: what the manager's outbox allows. */
const AHEAD_BYTES = 1024 * 1024;
/** Output in one frame, as the manager joins it. */
const FRAME_BYTES = 64 * 1024;
/** Interval at which a program is continued that waits for its clients, ms. */
const RESUME_MS = 1;

const [, , program = "", ...args] = process.argv;
const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
await once(server, "listening");
const clients = new Set<WebSocket>();
let pieces: Buffer[] = [];
let pending = 0;
let offset = 0;
let isPaused = false;

server.on("connection", (client) => {
  clients.add(client);
  client.once("close", () => clients.delete(client));
});

const terminal = spawn(program, args, { encoding: null });
// With `encoding: null` it gives bytes, whatever its types say.
terminal.onData((data) => {
  const bytes = data as unknown as Buffer;
  pieces.push(bytes);
  pending += bytes.length;
  if (pending >= FRAME_BYTES) broadcast();
});
process.on("message", () => process.send?.({ url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/` }));
process.on("disconnect", () => process.exit());
process.send?.({});

function broadcast(): void {
  offset += pending;
  const output = Buffer.concat(pieces).toString();
  [pieces, pending] = [[], 0];
  const frame = Buffer.from(JSON.stringify({ type: "process_output", name: "flood", output, offset, stream_id: "bare" }));
  for (const client of clients) if (hasRoom(client)) client.send(frame, { binary: false });
  if (areFull() && !isPaused) pause();
}

/** Leaves output in the terminal, so that its program waits, until a client has room. */
function pause(): void {
  isPaused = true;
  terminal.pause();
  const timer = setInterval(() => {
    if (areFull()) return;
    clearInterval(timer);
    isPaused = false;
    terminal.resume();
  }, RESUME_MS);
}

function areFull(): boolean {
  return clients.size > 0 && ![...clients].some(hasRoom);
}

function hasRoom(client: WebSocket): boolean {
  return client.bufferedAmount < AHEAD_BYTES;
}
