// Milliseconds until a question about another process is answered, by the manager and its daemon, while one process floods a
// fast, a slow and a never-reading subscriber. Peer: a bare `ws` server that sends the question back while it floods one
// subscriber. `npx tsx bench/answers-while-flooded.ts`
import { Client } from "./support/client.ts";
import { percentile, printFigure, rounded, sleep } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";
import { Part } from "./support/part.ts";
import type { SinkCount } from "./support/sink.ts";

const QUESTIONS = 300;
const ROUNDS = 3;
const REST_MS = 5;
/** Of the slow one: a breath of reading, again and again. */
const PAUSE_MS = 200;
const FRAME_BYTES = 64 * 1024;
const SUBSCRIBE = { type: "subscribe_process_output", patterns: ["flood"] };
const SINK = new URL("./support/sink.ts", import.meta.url);

async function ask(client: Client): Promise<number[]> {
  const times: number[] = [];
  for (let question = 0; question < QUESTIONS / ROUNDS; question++) {
    await sleep(REST_MS);
    const begin = performance.now();
    await client.ask({ type: "get_process_output", name: "quiet", lines: 1 });
    times.push(performance.now() - begin);
  }
  return times;
}

await using manager = await BenchManager.up({ quiet: { command: "cat" }, flood: { command: ["yes", "flood".repeat(20)] } });
const client = await manager.connect();
const slow = await manager.connect();
const never = await manager.connect();
for (const reader of [slow, never]) {
  await reader.ask(SUBSCRIBE);
  reader.ws.pause();
}
const trickle = setInterval(() => {
  slow.ws.resume();
  setImmediate(() => slow.ws.pause());
}, PAUSE_MS);
await using fast = await Part.start(SINK, `${manager.url}/ws`, manager.authorization);
await using server = await Part.start(new URL("./support/bare-broadcast.ts", import.meta.url));
const { url } = await server.ask<{ url: string }>({ sizes: [FRAME_BYTES] });
await using listener = await Part.start(SINK, url);
const bare = await Client.open(new URL("/quiet", url).href, {});

const [ours, theirs]: [number[], number[]] = [[], []];
for (let round = 0; round < ROUNDS; round++) {
  await client.ask({ type: "start_process", name: "flood" });
  await fast.ask<SinkCount>({ connections: 1, hello: JSON.stringify(SUBSCRIBE) });
  await sleep(500);
  ours.push(...(await ask(client)));
  await fast.ask<SinkCount>({ connections: 0 });
  await client.ask({ type: "stop_process", name: "flood" });
  await listener.ask<SinkCount>({ connections: 1 });
  await sleep(500);
  theirs.push(...(await ask(bare)));
  await listener.ask<SinkCount>({ connections: 0 });
}
clearInterval(trickle);
for (const { ws } of [slow, never, bare]) ws.terminate();

printFigure({
  figure: "answers-while-flooded",
  unit: "ms for a response while a process floods a fast, a slow and a never-reading subscriber, p99",
  value: rounded(percentile(ours, 0.99)),
  p50: rounded(percentile(ours, 0.5)),
  peer: "bare ws server that echoes the request while it floods one subscriber",
  peer_value: rounded(percentile(theirs, 0.99)),
  peer_p50: rounded(percentile(theirs, 0.5)),
});
