// From a publisher to a subscriber of one host, through the broker of its daemon, and of two hosts, through two daemons and the manager: delay at
// 1 kHz, and messages of 128 bytes a second, without and with the headers of the client libraries. And what 100 topics at 100 Hz cost daemon and
// manager. Peers: Debian's nats-server (for two hosts a hub with two leaves) and a bare relay over a unix socket. `npx tsx bench/topics.ts`
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { NatsServer } from "../test/support/nats/nats-server.ts";
import { cpuMs } from "./support/cpu.ts";
import { percentile, printFigure, rounded, sleep } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";
import { Part } from "./support/part.ts";
import type { TopicAnswer, TopicQuestion } from "./support/topic-load.ts";

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

/** From a publisher to a subscriber, and the servers between them. */
interface Path {
  readonly ask: Pick<TopicQuestion, "way" | "to" | "withHeaders">;
  readonly pids: readonly number[];
}
interface Round {
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Messages a second. */
  readonly rate: number;
  /** Of all servers, microseconds a message. */
  readonly cpu: number;
}

await using manager = await BenchManager.up({}, { hosts: ["far"] });
const far = await manager.daemon("far");
await using natsServer = await NatsServer.start();
await using natsHub = await NatsServer.start('leafnodes {listen: "127.0.0.1:$LEAF_PORT"}');
const leaf = `leafnodes {remotes: [{url: "nats://127.0.0.1:${natsHub.leafPort}"}]}`;
await using natsHere = await NatsServer.start(leaf);
await using natsFar = await NatsServer.start(leaf);
const path = join(manager.dir, "relay.sock");
await using relay = await Part.start(RELAY, path);
const near = join(manager.dir, "state");
const bus = new URL(readFileSync(join(near, "bus.url"), "utf8").trim());
const farBus = new URL(readFileSync(join(far, "bus.url"), "utf8").trim());
const pidOf = (state: string, program: "manager" | "daemon") =>
  (JSON.parse(readFileSync(join(state, `${program}.lock`), "utf8")) as { pid: number }).pid;
const [ofManager, ofDaemon] = [pidOf(near, "manager"), pidOf(near, "daemon")];
const here = { port: Number(bus.port), token: bus.username };
const ours: Path = { ask: { way: here }, pids: [ofDaemon] };
const nats: Path = { ask: { way: { port: natsServer.port } }, pids: [natsServer.pid] };
const paths = {
  ours,
  nats,
  relay: { ask: { way: { path } }, pids: [relay.pid] },
  ours_headers: { ...ours, ask: { ...ours.ask, withHeaders: true } },
  nats_headers: { ...nats, ask: { ...nats.ask, withHeaders: true } },
  ours_hosts: {
    ask: { way: here, to: { port: Number(farBus.port), token: farBus.username } },
    pids: [ofDaemon, ofManager, pidOf(far, "daemon")],
  },
  nats_hosts: {
    ask: { way: { port: natsHere.port }, to: { port: natsFar.port } },
    pids: [natsHere.pid, natsHub.pid, natsFar.pid],
  },
} satisfies Record<string, Path>;
type Name = keyof typeof paths;
const NAMES = Object.keys(paths) as Name[];

const rounds = Object.fromEntries(NAMES.map((name) => [name, []])) as unknown as Record<Name, Round[]>;
{
  await using load = await Part.start(LOAD);
  const ask = (question: TopicQuestion) => load.ask<TopicAnswer>(question);
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of NAMES) {
      const { ask: question, pids } = paths[name] as Path;
      const spent = () => pids.reduce((sum, pid) => sum + cpuMs(pid), 0);
      const { delays } = await ask({ ...question, size: SIZE, seconds: SECONDS, rate: RATE });
      const before = spent();
      const { rate, messages } = await ask({ ...question, size: SIZE, seconds: SECONDS, rate: null });
      const cpu = ((spent() - before) * 1_000) / messages;
      rounds[name].push({ p50: percentile(delays, 0.5), p99: percentile(delays, 0.99), rate, cpu });
    }
  }
}
function median(name: Name, key: keyof Round, digits = 3): number {
  const all = rounds[name].map((one) => one[key]);
  return rounded(percentile(all, 0.5), digits);
}

/** Of `<kind>` ours, and `<kind>` of nats-server. */
function compared(kind: "" | "_headers" | "_hosts") {
  const [mine, theirs] = [`ours${kind}`, `nats${kind}`] as const;
  const of = (key: keyof Round, digits?: number) => ({ ours: median(mine, key, digits), nats: median(theirs, key, digits) });
  const messages_s = of("rate", 0);
  return { messages_s, ratio: rounded(messages_s.ours / messages_s.nats), cpu_us: of("cpu", 2), p50: of("p50"), p99: of("p99") };
}

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
  value: median("ours", "p50"),
  peer: "nats-server (Debian), same load",
  peer_value: median("nats", "p50"),
  ratio: rounded(median("ours", "p50") / median("nats", "p50")),
  relay: {
    p50: median("relay", "p50"),
    p99: median("relay", "p99"),
    messages_s: median("relay", "rate", 0),
    cpu_us: median("relay", "cpu", 2),
  },
  of_128_bytes: compared(""),
  with_headers: compared("_headers"),
  across_two_hosts: compared("_hosts"),
  cpu_percent_with_100_topics_at_100_hz: {
    no_one_looks: unwatched,
    one_page_looks: watched,
    without_topics: idle,
    messages: Math.round(published),
  },
});
