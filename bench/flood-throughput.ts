// MiB/s of one flooding process while one subscriber looks at it, through a real manager and its daemon.
// Peer: a bare reader of a terminal with the same program. `npx tsx bench/flood-throughput.ts`
import { percentile, printFigure, rounded, sleep } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";
import { Part } from "./support/part.ts";
import type { SinkCount } from "./support/sink.ts";

const LINE = "2026-11-21T08:14:02.123 INFO  a line of a program that says much more than anybody will ever read: 42";
const FLOOD = ["yes", LINE];
const ROUNDS = 3;
const SETTLE_MS = 500;
const MEASURE_MS = 2_000;
const MEBIBYTE = 1024 * 1024;
const SUBSCRIBE = JSON.stringify({ type: "subscribe_process_output", patterns: ["flood"] });

await using manager = await BenchManager.up({ flood: { command: FLOOD } });
const client = await manager.connect();
await using bare = await Part.start(new URL("./support/bare-reader.ts", import.meta.url), ...FLOOD);
await using sink = await Part.start(new URL("./support/sink.ts", import.meta.url), `${manager.url}/ws`, manager.authorization);

/** How many bytes the process has written so far: what its backlog ends at. */
async function written(): Promise<number> {
  return Number((await client.ask({ type: "get_process_output", name: "flood", lines: 1 })).offset);
}

async function perSecond(count: () => Promise<number>): Promise<number> {
  await sleep(SETTLE_MS);
  const [before, begin] = [await count(), performance.now()];
  await sleep(MEASURE_MS);
  return ((await count()) - before) / MEBIBYTE / ((performance.now() - begin) / 1_000);
}

async function withManager(subscribers: number): Promise<{ written: number; received: number }> {
  await sink.ask<SinkCount>({ connections: subscribers, hello: SUBSCRIBE });
  await client.ask({ type: "start_process", name: "flood" });
  const [process, received] = await Promise.all([perSecond(written), perSecond(async () => (await sink.ask<SinkCount>({})).bytes)]);
  const stopped = client.untilAll(["flood"], "stopped");
  await client.ask({ type: "stop_process", name: "flood" });
  await stopped;
  return { written: process, received };
}

async function withoutManager(): Promise<number> {
  await bare.ask({ run: true });
  const rate = await perSecond(async () => (await bare.ask<{ bytes: number }>({})).bytes);
  await bare.ask({ run: false });
  return rate;
}

const [alone, watched, received, theirs]: number[][] = [[], [], [], []];
for (let round = 0; round < ROUNDS; round++) {
  theirs?.push(await withoutManager());
  alone?.push((await withManager(0)).written);
  const rates = await withManager(1);
  watched?.push(rates.written);
  received?.push(rates.received);
}
const median = (values: number[] | undefined) => rounded(percentile(values ?? [], 0.5), 1);
printFigure({
  figure: "flood-throughput",
  unit: "MiB/s written by one process with one subscriber",
  value: median(watched),
  without_subscriber: median(alone),
  received: median(received),
  peer: "bare reader of a terminal",
  peer_value: median(theirs),
  ratio: rounded(median(watched) / median(theirs)),
});
