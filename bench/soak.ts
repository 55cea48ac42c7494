// A soak: 200 processes with random commands, crashes, floods, topics, recordings, 50 connections that come and go, and reloads. Between two quiet
// points, one after the first minute and one at the end, descriptors, memory and timers of manager and daemon must not grow; no event, no byte of
// output and no recorded message may be lost, and nothing may be left at the end. Not run by bench/run.ts.
// `npx tsx bench/soak.ts`; MGR_SOAK_MINUTES (30 by default), MGR_SOAK_SEED.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Client } from "./support/client.ts";
import { residentMib } from "./support/cpu.ts";
import { printFigure, sleep } from "./support/figure.ts";
import { killLeft } from "./support/left-behind.ts";
import { BenchManager } from "./support/manager.ts";
import { Part } from "./support/part.ts";
import { seededBelow } from "./support/random.ts";
import { SoakWatcher } from "./support/soak-watcher.ts";

const MINUTES = Number(process.env.MGR_SOAK_MINUTES ?? 30);
const SEED = Number(process.env.MGR_SOAK_SEED ?? 1);
const WARM_UP_MS = Math.min(60_000, MINUTES * 12_000);
const STEP_MS = 100;
const CONNECTIONS = 50;
/** A quiet point: how long it may take until all have stopped, and how long is looked then. */
const [STOPPED_MS, QUIET_MS] = [60_000, Math.min(40_000, MINUTES * 8_000)];
const CHECK_INTERVAL_MS = 1_000;
/** Steps between reloads, between recordings, and between comparisons of the watcher with a snapshot. */
const [RELOAD, RECORD, COMPARE] = [97, 151, 31];

const below = seededBelow(SEED);

const kinds: [kind: string, count: number, script: string][] = [
  ["idle", 110, "exec sleep 86400"],
  ["crash", 20, "read -rt 3; exit 1"],
  ["lines", 60, "while :; do echo line $((i++)); read -rt 0.5; done"],
  ["flood", 10, "while :; do yes line | head -n 20000; read -rt 2; done"],
];
const restart = { policy: "always", delay: "500ms", max_restarts: 1_000_000 };
const processes = Object.fromEntries(
  kinds.flatMap(([kind, count, script]) =>
    Array.from({ length: count }, (_, index) => [`${kind}/p${index}`, { command: ["bash", "-c", script], autostart: true, restart }]),
  ),
);
const names = Object.keys(processes);

process.env.MGR_BENCH_NODE_OPTIONS = `--require ${fileURLToPath(new URL("support/report-timers.cjs", import.meta.url))}`;
const failures: string[] = [];
let steps = 0;
let recorded = 0;
let unrecorded = 0;

interface Sample {
  readonly descriptors: number;
  readonly timers: number;
  readonly resident_mib: number;
}

function sample(manager: BenchManager): { manager: Sample; daemon: Sample } {
  const [ofManager = 0, ofDaemon = 0] = manager.programs();
  const of = (pid: number): Sample => ({
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    timers: Number(readFileSync(join(manager.dir, `timers.${pid}`), "utf8")),
    resident_mib: Math.round(residentMib(pid)),
  });
  return { manager: of(ofManager), daemon: of(ofDaemon) };
}

/**
 * All have stopped, no other connection is open, and nothing is asked: what is compared is the same at each quiet point. The least of several
 * samples counts: what leaks does not get less, but heartbeats and the writer of the log have timers and descriptors now and then.
 */
async function quietPoint(manager: BenchManager, connections: Client[], control: Client): Promise<ReturnType<typeof sample>> {
  for (const { ws } of connections.splice(0)) ws.terminate();
  writeConfig(manager, 0);
  await control.ask({ type: "reload_config" });
  for (const [kind] of kinds) await control.ask({ type: "stop_group", name: kind });
  for (const end = performance.now() + STOPPED_MS; ; await sleep(CHECK_INTERVAL_MS)) {
    const { processes: all } = (await control.ask({ type: "get_snapshot" })) as unknown as { processes: { name: string; state: string }[] };
    const running = all.filter(({ state }) => state !== "stopped");
    if (running.length === 0) break;
    if (performance.now() < end) continue;
    failures.push(`${running.length} processes did not stop, such as ${running[0]?.name}: ${running[0]?.state}`);
    break;
  }
  let least: ReturnType<typeof sample> | null = null;
  for (const end = performance.now() + QUIET_MS; least === null || performance.now() < end; await sleep(CHECK_INTERVAL_MS)) {
    const now = sample(manager);
    least = least === null ? now : { manager: lesser(least.manager, now.manager), daemon: lesser(least.daemon, now.daemon) };
  }
  return least;
}

function lesser(one: Sample, other: Sample): Sample {
  return {
    descriptors: Math.min(one.descriptors, other.descriptors),
    timers: Math.min(one.timers, other.timers),
    resident_mib: Math.min(one.resident_mib, other.resident_mib),
  };
}

/** The configuration with `extra` further processes. */
function writeConfig(manager: BenchManager, extra: number): void {
  const path = join(manager.dir, "mgr.yaml");
  const config = JSON.parse(readFileSync(path, "utf8")) as { processes: object };
  const more = Array.from({ length: extra }, (_, index) => [`extra/p${index}`, { command: ["sleep", "86400"], autostart: true }]);
  writeFileSync(path, JSON.stringify({ ...config, processes: { ...processes, ...Object.fromEntries(more) } }));
}

async function record(control: Client): Promise<void> {
  const name = "soak";
  const { recordings } = (await control.ask({ type: "request_recordings" })) as unknown as {
    recordings: { state: string; messages: number; dropped: number; missed: number }[];
  };
  const [running] = recordings;
  if (running === undefined) {
    await control.ask({ type: "start_recording", name, min_free_space: 0 });
    return;
  }
  recorded += running.messages;
  unrecorded += running.dropped + running.missed;
  await control.ask({ type: "stop_recording", name });
  await control.ask({ type: "delete_recording", name });
}

const COMMANDS = ["start_process", "stop_process", "restart_process"];
async function step(manager: BenchManager, connections: Client[], control: Client): Promise<void> {
  const name = names[below(names.length)] ?? "";
  const sender = connections[below(connections.length)] ?? control;
  const chance = below(10);
  if (chance < 6) sender.send({ type: COMMANDS[below(COMMANDS.length)], name });
  // More starts than stops, so that most run.
  else if (chance < 8) sender.send({ type: "start_process", name });
  else if (chance === 8) sender.send({ type: "send_signal", name, signal: "SIGKILL" });
  else sender.send({ type: "get_process_output", name, lines: 100 });
  if (connections.length >= CONNECTIONS) connections.splice(below(connections.length), 1)[0]?.ws.terminate();
  const newcomer = await manager.connect();
  connections.push(newcomer);
  newcomer.ws.on("error", () => {});
  newcomer.send({ type: "get_snapshot" });
  newcomer.send({ type: "subscribe_process_output", patterns: [["*", "flood/*", "lines/*", name][below(4)]] });
}

async function churn(manager: BenchManager, connections: Client[], control: Client, watcher: SoakWatcher, ms: number): Promise<void> {
  for (const kind of kinds) control.send({ type: "start_group", name: kind[0] });
  const end = performance.now() + ms;
  while (performance.now() < end) {
    await step(manager, connections, control);
    steps++;
    if (steps % RELOAD === 0) {
      writeConfig(manager, below(10));
      await control.ask({ type: "reload_config" });
    }
    if (steps % RECORD === 0) await record(control);
    if (steps % COMPARE === 0) await watcher.compare();
    await sleep(STEP_MS);
  }
}

let marker = "";
async function soak() {
  await using manager = await BenchManager.up(processes);
  marker = (JSON.parse(readFileSync(join(manager.dir, "state/daemon.json"), "utf8")) as { stream_id: string }).stream_id;
  const bus = new URL(readFileSync(join(manager.dir, "state/bus.url"), "utf8").trim());
  await using _topics = await Part.start(new URL("support/topic-fleet.ts", import.meta.url), bus.port, bus.username, "20", "20");
  const control = await manager.connect();
  const watcher = await SoakWatcher.start(await manager.connect(), "lines/*");
  const connections: Client[] = [];
  await churn(manager, connections, control, watcher, WARM_UP_MS);
  const before = await quietPoint(manager, connections, control);
  await churn(manager, connections, control, watcher, MINUTES * 60_000 - WARM_UP_MS - 2 * QUIET_MS);
  const after = await quietPoint(manager, connections, control);
  await watcher.compare();
  return { before, after, watcher };
}

const { before, after, watcher } = await soak();
const left = killLeft(marker);
if (watcher.lostEvents > 0) failures.push(`${watcher.lostEvents} events lost`);
if (watcher.lostBytes > 0) failures.push(`${watcher.lostBytes} bytes lost`);
if (unrecorded > 0) failures.push(`${unrecorded} messages not recorded`);
if (left > 0) failures.push(`${left} processes left`);
for (const program of ["manager", "daemon"] as const) {
  for (const what of ["descriptors", "timers"] as const) {
    const growth = after[program][what] - before[program][what];
    // One or two more are chance.
    if (growth > 2) failures.push(`${growth} ${what} more in the ${program}`);
  }
}
printFigure({
  figure: "soak",
  unit: `failures in ${MINUTES} minutes with ${names.length} processes`,
  value: failures.length,
  peer: "no failure",
  peer_value: 0,
  failures,
  seed: SEED,
  steps,
  before,
  after,
  bytes: watcher.bytes,
  skipped_bytes: watcher.skippedBytes,
  recorded,
});
if (failures.length > 0) process.exitCode = 1;
