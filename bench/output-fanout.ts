// MB/s that one flooding process reaches 1, 10 and 100 subscribers with, through a real manager and its daemon.
// Peer: a bare `ws` server that broadcasts frames of the same sizes to the same clients. `npx tsx bench/output-fanout.ts`
import { percentile, printFigure, rounded, sleep } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";
import { Part } from "./support/part.ts";
import type { SinkCount } from "./support/sink.ts";

const SUBSCRIBERS = [1, 10, 100];
/** Of each count, manager and peer in turn; the median counts. */
const ROUNDS = 3;
const SETTLE_MS = 500;
const MEASURE_MS = 1_500;
const SINK = new URL("./support/sink.ts", import.meta.url);
const BARE = new URL("./support/bare-broadcast.ts", import.meta.url);
const SUBSCRIBE = { type: "subscribe_process_output", patterns: ["flood"] };
const LINE = "2026-11-21T08:14:02.123 INFO  a line of a program that says much more than anybody will ever read: 42";

/** Bytes per second that `count` connections of `sink` receive. */
async function rate(sink: Part, count: number, hello?: string): Promise<number> {
  await sink.ask<SinkCount>({ connections: count, hello });
  await sleep(SETTLE_MS);
  const before = await sink.ask<SinkCount>({});
  const begin = performance.now();
  await sleep(MEASURE_MS);
  const after = await sink.ask<SinkCount>({});
  const seconds = (performance.now() - begin) / 1_000;
  await sink.ask<SinkCount>({ connections: 0 });
  return (after.bytes - before.bytes) / seconds;
}

/** The sizes of frames that a subscriber gets, for the peer. */
async function frameSizes(manager: BenchManager): Promise<number[]> {
  const client = await manager.connect();
  const sizes: number[] = [];
  client.ws.on("message", (data: Buffer) => sizes.push(data.length));
  client.send(SUBSCRIBE);
  await sleep(SETTLE_MS);
  client.ws.terminate();
  return sizes.slice(0, 500);
}

const through: number[] = [];
const bare: number[] = [];
await using manager = await BenchManager.up({ flood: { command: ["yes", LINE], stop: { signal: "SIGTERM" } } });
const client = await manager.connect();
await client.ask({ type: "start_process", name: "flood" });
const sizes = await frameSizes(manager);
await using server = await Part.start(BARE);
const { url } = await server.ask<{ url: string }>({ sizes });
await using subscribers = await Part.start(SINK, `${manager.url}/ws`, manager.authorization);
await using listeners = await Part.start(SINK, url);
// In turn, so that both meet the same load of the machine; the process floods its terminal all the time.
for (const count of SUBSCRIBERS) {
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await rate(subscribers, count, JSON.stringify(SUBSCRIBE)));
    theirs.push(await rate(listeners, count));
  }
  through.push(percentile(ours, 0.5));
  bare.push(percentile(theirs, 0.5));
}

const megabytes = (bytes: number) => rounded(bytes / 1e6, 1);
const last = SUBSCRIBERS.length - 1;
printFigure({
  figure: "output-fanout",
  unit: "MB/s received by all subscribers of one flooding process in total",
  value: megabytes(through[last] ?? 0),
  peer: "bare ws broadcast of frames of the same sizes, while the same process floods",
  peer_value: megabytes(bare[last] ?? 0),
  ratio: rounded((through[last] ?? 0) / (bare[last] ?? 1)),
  subscribers: SUBSCRIBERS,
  values: through.map(megabytes),
  peer_values: bare.map(megabytes),
  frame_bytes: Math.round(sizes.reduce((sum, size) => sum + size, 0) / sizes.length),
});
