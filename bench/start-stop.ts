// Milliseconds until 1,000 processes are started, and stopped again, through a real manager and its daemon; the processor time
// and memory of both, also while nothing happens; starts and stops without the audit. Peers: a loop of child_process.spawn, without terminals,
// and a program that starts each process under a terminal, signals each, waits for each, and does nothing else: the least that a host does.
// `npx tsx bench/start-stop.ts`; MGR_BENCH_COUNT is the number of processes, MGR_BENCH_IDLE_S how long nothing happens,
// MGR_BENCH_SETTLE_S how long it waits before.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpuMs } from "./support/cpu.ts";
import { printFigure, rounded, sleep } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";
import { Part } from "./support/part.ts";

const COUNT = Number(process.env.MGR_BENCH_COUNT ?? 1_000);
const IDLE_S = Number(process.env.MGR_BENCH_IDLE_S ?? 10);
const SETTLE_S = Number(process.env.MGR_BENCH_SETTLE_S ?? 15);
const COMMAND = ["sleep", "1000"] as const;

/** Of manager and daemon: MiB, or milliseconds of processor time. */
interface Both {
  manager: number;
  daemon: number;
}

interface Ours {
  start: number;
  stop: number;
  before: Both;
  during: Both;
  startCpu: Both;
  stopCpu: Both;
  /** Percent of a core. */
  idle: Both;
}

async function withManager(audit: boolean): Promise<Ours> {
  const names = Array.from({ length: COUNT }, (_, index) => `g/p${index}`);
  const processes = Object.fromEntries(names.map((name) => [name, { command: COMMAND }]));
  await using manager = await BenchManager.up(processes, { audit: { enabled: audit } });
  const client = await manager.connect();
  const before = manager.memory();
  const [start, startCpu] = await timed(manager, () => {
    client.send({ type: "start_group", name: "g" });
    return client.untilAll(names, "started");
  });
  const during = manager.memory();
  // What a start leaves to do, such as the removal of garbage, is not idling.
  await sleep(SETTLE_S * 1_000);
  const [, idleCpu] = await timed(manager, () => sleep(IDLE_S * 1_000));
  const [stop, stopCpu] = await timed(manager, () => {
    client.send({ type: "stop_group", name: "g" });
    return client.untilAll(names, "stopped");
  });
  const percent = (ms: number) => rounded(ms / IDLE_S / 10);
  const idle = { manager: percent(idleCpu.manager), daemon: percent(idleCpu.daemon) };
  return { start, stop, before, during, startCpu, stopCpu, idle };
}

/** Wall-clock and processor time of `step`, milliseconds. */
async function timed(manager: BenchManager, step: () => Promise<void>): Promise<[number, Both]> {
  const [begin, cpu] = [performance.now(), manager.cpu()];
  await step();
  const after = manager.cpu();
  return [performance.now() - begin, { manager: after.manager - cpu.manager, daemon: after.daemon - cpu.daemon }];
}

async function withoutManager(): Promise<{ start: number; stop: number }> {
  const [program, ...args] = COMMAND;
  const begin = performance.now();
  const children: ChildProcess[] = [];
  for (let index = 0; index < COUNT; index++) children.push(spawn(program, args, { stdio: "ignore" }));
  await Promise.all(children.map((child) => once(child, "spawn")));
  const up = performance.now();
  const ends = children.map((child) => once(child, "exit"));
  for (const child of children) child.kill("SIGTERM");
  await Promise.all(ends);
  return { start: up - begin, stop: performance.now() - up };
}

/** Milliseconds, and milliseconds of processor time of the program, until all have ended and were reaped. */
async function stopOfBareTerminals(): Promise<{ wall: number; cpu: number }> {
  await using part = await Part.start(new URL("peers/bare-terminals-part.ts", import.meta.url));
  await part.ask({ start: Array.from({ length: COUNT }, () => ["/bin/sleep", "1000"]), cwd: "/" });
  const [begin, cpu] = [performance.now(), cpuMs(part.pid)];
  await part.ask({ stop: true });
  return { wall: performance.now() - begin, cpu: cpuMs(part.pid) - cpu };
}

const theirs = await withoutManager();
const terminals = await stopOfBareTerminals();
const ours = await withManager(true);
const unaudited = await withManager(false);
printFigure({
  figure: "start-stop",
  unit: `ms until ${COUNT} processes are started and stopped again`,
  value: Math.round(ours.start + ours.stop),
  start: Math.round(ours.start),
  stop: Math.round(ours.stop),
  start_cpu_ms: ours.startCpu,
  stop_cpu_ms: ours.stopCpu,
  idle_cpu_percent: ours.idle,
  manager_mib: { before: ours.before.manager, with_all: ours.during.manager },
  daemon_mib: { before: ours.before.daemon, with_all: ours.during.daemon },
  without_audit: {
    start: Math.round(unaudited.start),
    stop: Math.round(unaudited.stop),
    start_cpu_ms: unaudited.startCpu,
    stop_cpu_ms: unaudited.stopCpu,
  },
  peer: "child_process.spawn in a loop, without terminals",
  peer_value: Math.round(theirs.start + theirs.stop),
  peer_start: Math.round(theirs.start),
  peer_stop: Math.round(theirs.stop),
  bare_terminals_stop: Math.round(terminals.wall),
  bare_terminals_stop_cpu_ms: Math.round(terminals.cpu),
});
