// 100 hosts with 100 processes each on one manager: milliseconds until all 10,000 are started. The hosts are simulated
// in one process, but each speaks the real contract over connections of its own. Peer: as many bare questions and
// answers of the same sizes over bare WebSockets. `npx tsx bench/many-hosts.ts`; MGR_BENCH_HOSTS and MGR_BENCH_PROCESSES (of each) for other
// numbers, MGR_BENCH_BUS=nats for a nats-server as the bus, MGR_BENCH_START=0 to leave the processes stopped: 100,000 take minutes
// to start.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { WebSocketServer } from "ws";
import { NatsServer } from "../test/support/nats/nats-server.ts";
import { cpuMs, residentMib } from "./support/cpu.ts";
import { percentile, printFigure, rounded, sleep } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";
import { Part } from "./support/part.ts";

const HOSTS = Number(process.env.MGR_BENCH_HOSTS ?? 100);
const EACH = Number(process.env.MGR_BENCH_PROCESSES ?? 100);
const SNAPSHOTS = 10;
const RETURNS = 3;
const IDLE_MS = 10_000;
/** Bytes of a spawn and of its answer. */
const [SPAWN, REPORT] = [1_400, 600];

const isStarted = process.env.MGR_BENCH_START !== "0";
await using server = process.env.MGR_BENCH_BUS === "nats" ? await NatsServer.start() : null;

const names = Array.from({ length: HOSTS * EACH }, (_, index) => `all/h${index % HOSTS}/p${Math.floor(index / HOSTS)}`);
const processes = Object.fromEntries(names.map((name, index) => [name, { command: ["sleep", "1000"], node: `h${index % HOSTS}` }]));
await using manager = await BenchManager.up(processes, {
  hosts: Array.from({ length: HOSTS }, (_, index) => `h${index}`),
  bus: server?.url,
});
await using fleet = await Part.start(
  new URL("support/host-fleet.ts", import.meta.url),
  server?.url ?? manager.url,
  manager.dir,
  String(HOSTS),
);
const client = await manager.connect();
/** Of each step, the longest that the manager's event loop was late, milliseconds. */
const late: Record<string, number> = {};
await manager.longestDelay();
const { pid } = JSON.parse(readFileSync(join(manager.dir, "state/manager.lock"), "utf8")) as { pid: number };

await client.ask({ type: "get_snapshot" });
// Snapshots until all are ready would be most of what is measured.
const absent = new Set(Array.from({ length: HOSTS }, (_, index) => `h${index}`));
const all = client.until((frame) => {
  const ready = readyHost(frame);
  if (ready !== null) absent.delete(ready);
  return absent.size === 0;
});
const [joined, joinCpu] = [performance.now(), cpuMs(pid)];
await fleet.ask({ join: true });
await all;
const join_ms = performance.now() - joined;
const join_cpu_ms = Math.round(cpuMs(pid) - joinCpu);
late.join = await manager.longestDelay();

const [begin, cpuBefore] = [performance.now(), cpuMs(pid)];
if (isStarted) await reach("started", "start_group");
const start = performance.now() - begin;
const start_cpu_ms = Math.round(cpuMs(pid) - cpuBefore);
late.start = await manager.longestDelay();

// Another client, whose requests have to be answered while snapshots are made and written.
const other = await manager.connect();
const answers: number[] = [];
let isAsking = true;
const asking = (async () => {
  while (isAsking) {
    const asked = performance.now();
    await other.ask({ type: "unsubscribe_process_output", patterns: [] });
    answers.push(performance.now() - asked);
    await sleep(5);
  }
})();
const snapshots: number[] = [];
let bytes = 0;
for (let index = 0; index < SNAPSHOTS; index++) {
  const asked = performance.now();
  client.send({ type: "get_snapshot" });
  // Not parsed, as in snapshot.ts: reading these megabytes is the client's time. The type comes first.
  for (let data: Buffer = Buffer.alloc(0); !data.subarray(0, 100).includes('"type":"snapshot"'); bytes = data.length) {
    [data] = (await once(client.ws, "message")) as [Buffer];
  }
  snapshots.push(performance.now() - asked);
}
isAsking = false;
await asking;
late.snapshot = await manager.longestDelay();
// What a start leaves to do, such as the removal of garbage, is not idling.
await sleep(15_000);
const before = cpuMs(pid);
await sleep(IDLE_MS);
const idle = (cpuMs(pid) - before) / IDLE_MS;
const resident_mib = Math.round(residentMib(pid));

// One host loses its connections and opens them again: from then on until its processes are known again.
const [returns, losses] = [[] as number[], [] as number[]];
for (let round = 0; round < RETURNS; round++) {
  const lost = hostIs(false);
  const left = performance.now();
  await fleet.ask({ leave: "h1" });
  await lost;
  losses.push(performance.now() - left);
  const ready = hostIs(true);
  const back = performance.now();
  await fleet.ask({ back: "h1" });
  await ready;
  returns.push(performance.now() - back);
}
late.returns = await manager.longestDelay();

const stopping = performance.now();
if (isStarted) await reach("stopped", "stop_group");
const stop = performance.now() - stopping;
late.stop = await manager.longestDelay();

printFigure({
  figure: "many-hosts",
  unit: `ms until ${names.length} processes of ${HOSTS} hosts are ${isStarted ? "started" : "known"}`,
  bus: server === null ? "its own" : "nats-server",
  value: Math.round(isStarted ? start : join_ms),
  peer: "the same number of requests and responses of these sizes over bare WebSockets",
  peer_value: Math.round(await bareQuestions()),
  start_cpu_ms,
  stop: Math.round(stop),
  late,
  join: Math.round(join_ms),
  join_cpu_ms,
  snapshot_ms: rounded(percentile(snapshots, 0.5), 1),
  snapshot_bytes: bytes,
  others_meanwhile_ms: { p50: rounded(percentile(answers, 0.5), 1), worst: rounded(Math.max(...answers), 0) },
  host_back_ms: rounded(percentile(returns, 0.5), 0),
  host_lost_ms: rounded(percentile(losses, 0.5), 0),
  resident_mib,
  resident_after_stop_mib: Math.round(residentMib(pid)),
  idle_cpu_percent: rounded(idle * 100, 1),
});

async function reach(state: string, type: string): Promise<void> {
  const reached = client.untilAll(names, state);
  client.send({ type, name: "all" });
  await reached;
}

/** Resolves when the manager says that the host is there, or that it is lost. */
async function hostIs(ready: boolean): Promise<void> {
  await client.until(({ type, host }) => {
    const { name, daemon_ready } = (host ?? {}) as { name?: string; daemon_ready?: boolean };
    return type === "host_upsert" && name === "h1" && daemon_ready === ready;
  });
}

/** Name of the host that the frame reports as ready; null: it reports none. */
function readyHost({ type, host }: Record<string, unknown>): string | null {
  const { name = null, daemon_ready } = (host ?? {}) as { name?: string; daemon_ready?: boolean };
  return type === "host_upsert" && daemon_ready ? name : null;
}

async function bareQuestions(): Promise<number> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
  await once(server, "listening");
  await fleet.ask({ bare: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, hosts: HOSTS, answer: REPORT });
  const question = "x".repeat(SPAWN);
  const asked = performance.now();
  let missing = names.length;
  await new Promise<void>((resolve) => {
    for (const ws of server.clients) {
      ws.on("message", () => {
        if (--missing === 0) resolve();
      });
      for (let index = 0; index < EACH; index++) ws.send(question);
    }
  });
  const took = performance.now() - asked;
  for (const ws of server.clients) ws.terminate();
  server.close();
  return took;
}
