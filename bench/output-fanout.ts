// MB/s that one flooding process reaches 1, 10 and 100 subscribers with, through a real manager and its daemon.
// Peers: a bare `ws` server that broadcasts frames which it has made before, of the same sizes, to the same clients; and the least program that does
// the same job: it reads a terminal of the same process, makes a JSON frame and broadcasts it. `npx tsx bench/output-fanout.ts`

import type { Client } from "./support/client.ts";
import { cpuMs } from "./support/cpu.ts";
import { medianOf, printFigure, rounded, sleep } from "./support/figure.ts";
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
const CHAIN = new URL("./support/bare-terminal-broadcast.ts", import.meta.url);
const SUBSCRIBE = { type: "subscribe_process_output", patterns: ["flood"] };
const LINE = "2026-11-21T08:14:02.123 INFO  a line of a program that says much more than anybody will ever read: 42";

interface Rate {
  /** Bytes per second that all connections receive. */
  readonly bytes: number;
  /** Processor time of the server for each MB of them, µs. */
  readonly us: number;
  /** Processor time of the clients, % of a core. */
  readonly clients: number;
}

/** What `count` connections of `sink` receive of the server with this pid. */
async function rate(sink: Part, pid: number, { count, hello }: { count: number; hello?: string }): Promise<Rate> {
  await sink.ask<SinkCount>({ connections: count, hello });
  await sleep(SETTLE_MS);
  const [before, serverBefore, clientsBefore] = [await sink.ask<SinkCount>({}), cpuMs(pid), cpuMs(sink.pid)];
  const begin = performance.now();
  await sleep(MEASURE_MS);
  const [after, server, clients] = [await sink.ask<SinkCount>({}), cpuMs(pid) - serverBefore, cpuMs(sink.pid) - clientsBefore];
  const ms = performance.now() - begin;
  await sink.ask<SinkCount>({ connections: 0 });
  const bytes = after.bytes - before.bytes;
  return { bytes: (bytes * 1_000) / ms, us: (server * 1_000) / (bytes / 1e6), clients: (clients * 100) / ms };
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

const ours: Rate[] = [];
const theirs: Rate[] = [];
const chains: Rate[] = [];
await using manager = await BenchManager.up({ flood: { command: ["yes", LINE], stop: { signal: "SIGTERM" } } });
const [managerPid = 0] = manager.programs();
const client = await manager.connect();
await client.ask({ type: "start_process", name: "flood" });
const sizes = await frameSizes(manager);
await using server = await Part.start(BARE);
const { url } = await server.ask<{ url: string }>({ sizes });
await using subscribers = await Part.start(SINK, `${manager.url}/ws`, manager.authorization);
await using listeners = await Part.start(SINK, url);
// In turn, so that all meet the same load of the machine; the process floods its terminal all the time.
for (const count of SUBSCRIBERS) {
  const [through, bare, chained]: [Rate[], Rate[], Rate[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    through.push(await rate(subscribers, managerPid, { count, hello: JSON.stringify(SUBSCRIBE) }));
    bare.push(await rate(listeners, server.pid, { count }));
    chained.push(await rateOfChain(client, count));
  }
  ours.push(medians(through));
  theirs.push(medians(bare));
  chains.push(medians(chained));
}

/** The process floods the terminal of the peer instead of ours meanwhile. */
async function rateOfChain(client: Client, count: number): Promise<Rate> {
  await client.ask({ type: "stop_process", name: "flood" });
  const chain = await Part.start(CHAIN, "yes", LINE);
  const { url } = await chain.ask<{ url: string }>({});
  const readers = await Part.start(SINK, url);
  const measured = await rate(readers, chain.pid, { count });
  await readers[Symbol.asyncDispose]();
  await chain[Symbol.asyncDispose]();
  await client.ask({ type: "start_process", name: "flood" });
  return measured;
}

function medians(rates: readonly Rate[]): Rate {
  return { bytes: medianOf(rates, "bytes"), us: medianOf(rates, "us"), clients: medianOf(rates, "clients") };
}

const megabytes = (rates: readonly Rate[]) => rates.map(({ bytes }) => rounded(bytes / 1e6, 1));
const [values, peerValues, chainValues] = [megabytes(ours), megabytes(theirs), megabytes(chains)];
const [value = 0, peer = 0, chain = 0] = [values.at(-1), peerValues.at(-1), chainValues.at(-1)];
printFigure({
  figure: "output-fanout",
  unit: "MB/s received by all subscribers of one flooding process in total",
  value,
  peer: "bare ws broadcast of frames of the same sizes, while the same process floods",
  peer_value: peer,
  ratio: rounded(value / peer),
  chain: "bare terminal, JSON frame and ws broadcast in one program",
  chain_value: chain,
  ratio_to_chain: rounded(value / chain),
  subscribers: SUBSCRIBERS,
  values,
  peer_values: peerValues,
  chain_values: chainValues,
  cpu_us_per_mb: ours.map(({ us }) => Math.round(us)),
  peer_cpu_us_per_mb: theirs.map(({ us }) => Math.round(us)),
  chain_cpu_us_per_mb: chains.map(({ us }) => Math.round(us)),
  clients_cpu_percent: ours.map(({ clients }) => Math.round(clients)),
  peer_clients_cpu_percent: theirs.map(({ clients }) => Math.round(clients)),
  frame_bytes: Math.round(sizes.reduce((sum, size) => sum + size, 0) / sizes.length),
});
