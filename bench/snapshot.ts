// Milliseconds from get_snapshot to the whole answer, 1,000 processes. Peer: a bare `ws` server that answers with the
// same text, made before. `npx tsx bench/snapshot.ts`
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { WebSocket, WebSocketServer } from "ws";
import { percentile, printFigure, rounded } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";

const COUNT = 1_000;
const QUESTIONS = 100;
const QUESTION = JSON.stringify({ type: "get_snapshot" });

/** Times of answers, milliseconds, and the last answer. */
async function ask(ws: WebSocket): Promise<{ times: number[]; answer: Buffer }> {
  const times: number[] = [];
  let answer: Buffer = Buffer.alloc(0);
  for (let question = 0; question < QUESTIONS; question++) {
    const begin = performance.now();
    ws.send(QUESTION);
    // Other frames may come between.
    do [answer] = (await once(ws, "message")) as [Buffer];
    while (!answer.includes('"type":"snapshot"'));
    times.push(performance.now() - begin);
  }
  return { times, answer };
}

const names = Array.from({ length: COUNT }, (_, index) => `group ${index % 10}/process ${index}`);
await using manager = await BenchManager.up(Object.fromEntries(names.map((name) => [name, { command: ["sleep", "1000"] }])));
const client = await manager.connect();
await ask(client.ws);
const ours = await ask(client.ws);

const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
await once(server, "listening");
server.on("connection", (ws) => ws.on("message", () => ws.send(ours.answer, { binary: false })));
const bare = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`, { perMessageDeflate: false });
await once(bare, "open");
await ask(bare);
const theirs = await ask(bare);
bare.terminate();
server.close();

printFigure({
  figure: "snapshot",
  unit: `ms for get_snapshot of ${COUNT} processes, p50`,
  value: rounded(percentile(ours.times, 0.5)),
  p99: rounded(percentile(ours.times, 0.99)),
  bytes: ours.answer.length,
  peer: "bare ws server that sends the same, precomputed text",
  peer_value: rounded(percentile(theirs.times, 0.5)),
  peer_p99: rounded(percentile(theirs.times, 0.99)),
});
