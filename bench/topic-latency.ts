// What `mgr topic latency` costs at 1 kHz: processor time of the daemon while it measures, beyond that of not measuring, and the latency that it finds. Peer: a
// program that subscribes to the topic and measures each message itself, with what the daemon needs to send it; its latency is that to the subscriber.
// MGR_BENCH_SECONDS is how long each is measured, MGR_BENCH_ROUNDS how often. `npx tsx bench/topic-latency.ts`
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cpuMs } from "./support/cpu.ts";
import { medianOf, percentile, printFigure, rounded, sleep } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";
import { Part } from "./support/part.ts";

const RATE = 1_000;
/** Time until the code of the daemon is compiled, milliseconds. */
const WARM_UP_MS = 3_000;
const ROUNDS = Number(process.env.MGR_BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.MGR_BENCH_SECONDS ?? 5);
const PROGRAM = new URL("./support/timed-topic.ts", import.meta.url);

interface Found {
  /** Of all messages, milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

await using manager = await BenchManager.up({});
const url = readFileSync(join(manager.dir, "state/bus.url"), "utf8").trim();
const client = await manager.connect();
await using _publisher = await Part.start(PROGRAM, url, String(RATE));

/** Share of a core, %, while `work` runs. `pid`: a program that counts beside the daemon. */
async function shareOf<T>(work: () => Promise<T>, pid: number | null = null): Promise<[number, T]> {
  const used = () => manager.cpu().daemon + (pid === null ? 0 : cpuMs(pid));
  const [before, begin] = [used(), performance.now()];
  const result = await work();
  return [((used() - before) * 100) / (performance.now() - begin), result];
}

async function byDaemon(): Promise<Found> {
  const answer = await client.ask({ type: "measure_topic_latency", name: "bench/state", sample_seconds: SECONDS });
  const [path] = answer.paths as { total: { p50_ms: number; p99_ms: number } }[];
  if (path === undefined) throw new Error("nothing was measured");
  return { p50: path.total.p50_ms, p99: path.total.p99_ms };
}

async function bySubscriber(subscriber: Part): Promise<Found> {
  await subscriber.ask({});
  await sleep(SECONDS * 1_000);
  const latencies = await subscriber.ask<number[]>({});
  return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
}

const shares: Record<"idle" | "daemon" | "subscriber", number[]> = { idle: [], daemon: [], subscriber: [] };
const found: Record<"daemon" | "subscriber", Found[]> = { daemon: [], subscriber: [] };
for (let round = 0; round < ROUNDS; round++) {
  await sleep(WARM_UP_MS);
  shares.idle.push((await shareOf(() => sleep(SECONDS * 1_000)))[0]);
  const [daemon, measured] = await shareOf(byDaemon);
  shares.daemon.push(daemon);
  found.daemon.push(measured);
  await using subscriber = await Part.start(PROGRAM, url);
  await sleep(WARM_UP_MS);
  const [share, received] = await shareOf(() => bySubscriber(subscriber), subscriber.pid);
  shares.subscriber.push(share);
  found.subscriber.push(received);
}
const beyondIdle = (who: keyof typeof found) => rounded(percentile(shares[who], 0.5) - percentile(shares.idle, 0.5));
const latency = (who: keyof typeof found, key: keyof Found) => rounded(medianOf(found[who], key), 3);
printFigure({
  figure: "topic-latency",
  unit: `% of a core to measure the latency of a topic at ${RATE} Hz`,
  value: beyondIdle("daemon"),
  peer: "a program with the JavaScript client that measures the same topic",
  peer_value: beyondIdle("subscriber"),
  daemon_percent_without: rounded(percentile(shares.idle, 0.5)),
  ms_to_the_broker: { p50: latency("daemon", "p50"), p99: latency("daemon", "p99") },
  ms_to_the_subscriber: { p50: latency("subscriber", "p50"), p99: latency("subscriber", "p99") },
});
