// From a publisher to a subscriber of one host, through the broker of its daemon: delay at 1 kHz, and messages of 128 bytes a second. And what
// 100 topics at 100 Hz cost daemon and manager. Peers: Debian's nats-server and a bare relay over a unix socket. `npx tsx bench/topics.ts`
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { NatsServer } from "../test/support/nats-server.ts";
import { cpuMs } from "./support/cpu.ts";
import { percentile, printFigure, rounded, sleep } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";
import { Part } from "./support/part.ts";
import type { TopicAnswer, TopicQuestion, Way } from "./support/topic-load.ts";

const SIZE = 128;
const RATE = 1_000;
/** Of each way in turn; the median counts. */
const ROUNDS = 3;
const SECONDS = 3;
const TOPICS = 100;
const TOPIC_RATE = 100;
const SETTLE_MS = 2_000;
const CPU_MS = 10_000;
const LOAD = new URL("./support/topic-load.ts", import.meta.url);
const FLEET = new URL("./support/topic-fleet.ts", import.meta.url);
const RELAY = new URL("./support/topic-relay.ts", import.meta.url);

await using manager = await BenchManager.up({});
await using natsServer = await NatsServer.start();
const path = join(manager.dir, "relay.sock");
await using relay = await Part.start(RELAY, path);
const bus = new URL(readFileSync(join(manager.dir, "state/bus.url"), "utf8").trim());
const ways = { ours: { port: Number(bus.port), token: bus.username }, nats: { port: natsServer.port }, relay: { path } } satisfies Record<
  string,
  Way
>;
const [ofManager, ofDaemon] = ["manager", "daemon"].map(
  (program) => (JSON.parse(readFileSync(join(manager.dir, `state/${program}.lock`), "utf8")) as { pid: number }).pid,
) as [number, number];
const servers = { ours: ofDaemon, nats: natsServer.pid, relay: relay.pid };
type Name = keyof typeof ways;
const NAMES = ["ours", "nats", "relay"] as const satisfies readonly Name[];

const byWay = <T>(of: (name: Name) => T) => Object.fromEntries(NAMES.map((name) => [name, of(name)])) as Record<Name, T>;
const rounds = byWay(() => [] as { p50: number; p99: number; rate: number; cpu: number }[]);
{
  await using load = await Part.start(LOAD);
  const ask = (question: TopicQuestion) => load.ask<TopicAnswer>(question);
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of NAMES) {
      const { delays } = await ask({ way: ways[name], size: SIZE, seconds: SECONDS, rate: RATE });
      const before = cpuMs(servers[name]);
      const { rate, messages } = await ask({ way: ways[name], size: SIZE, seconds: SECONDS, rate: null });
      const cpu = ((cpuMs(servers[name]) - before) * 1_000) / messages;
      rounds[name].push({ p50: percentile(delays, 0.5), p99: percentile(delays, 0.99), rate, cpu });
    }
  }
}
const median = (name: Name, key: "p50" | "p99" | "rate" | "cpu") =>
  percentile(
    rounds[name].map((one) => one[key]),
    0.5,
  );
const p50 = byWay((name) => rounded(median(name, "p50"), 3));
const p99 = byWay((name) => rounded(median(name, "p99"), 3));
const messages = byWay((name) => Math.round(median(name, "rate")));
const cpuUs = byWay((name) => rounded(median(name, "cpu")));

/** Of one core, percent: manager and daemon. */
async function cpu(): Promise<{ manager: number; daemon: number }> {
  await sleep(SETTLE_MS);
  const [manager, daemon, begin] = [cpuMs(ofManager), cpuMs(ofDaemon), performance.now()];
  await sleep(CPU_MS);
  const percent = (spent: number) => rounded((spent * 100) / (performance.now() - begin), 1);
  return { manager: percent(cpuMs(ofManager) - manager), daemon: percent(cpuMs(ofDaemon) - daemon) };
}
const idle = await cpu();
await using fleet = await Part.start(FLEET, bus.port, bus.username, String(TOPICS), String(TOPIC_RATE));
const [sentBefore, began] = [(await fleet.ask<{ sent: number }>({})).sent, performance.now()];
const unwatched = await cpu();
const client = await manager.connect();
await client.ask({ type: "get_snapshot" });
const watched = await cpu();
const published = (((await fleet.ask<{ sent: number }>({})).sent - sentBefore) * 1_000) / (performance.now() - began);

printFigure({
  figure: "topics",
  unit: `ms from publisher to subscriber, p50 at ${RATE} Hz, on one host`,
  value: p50.ours,
  peer: "nats-server (Debian), same load",
  peer_value: p50.nats,
  ratio: rounded(p50.ours / p50.nats),
  relay: p50.relay,
  p99: p99.ours,
  peer_p99: p99.nats,
  relay_p99: p99.relay,
  of_128_bytes: {
    messages_s: messages,
    ratio: rounded(messages.ours / messages.nats),
    cpu_us: cpuUs,
  },
  cpu_percent_with_100_topics_at_100_hz: {
    no_one_looks: unwatched,
    one_page_looks: watched,
    without_topics: idle,
    messages: Math.round(published),
  },
});
