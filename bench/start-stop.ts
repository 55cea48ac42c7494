// Milliseconds until 1,000 processes are started, and stopped again, through a real manager and its daemon; their memory.
// Peer: a loop of child_process.spawn, without terminals. `npx tsx bench/start-stop.ts`
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { printFigure } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";

const COUNT = 1_000;
const COMMAND = ["sleep", "1000"] as const;

interface Memory {
  manager: number;
  daemon: number;
}

async function withManager(): Promise<{ start: number; stop: number; before: Memory; during: Memory }> {
  const names = Array.from({ length: COUNT }, (_, index) => `g/p${index}`);
  await using manager = await BenchManager.up(Object.fromEntries(names.map((name) => [name, { command: COMMAND }])));
  const client = await manager.connect();
  const before = manager.memory();
  const begin = performance.now();
  const started = client.untilAll(names, "started");
  client.send({ type: "start_group", name: "g" });
  await started;
  const up = performance.now();
  const during = manager.memory();
  const stopped = client.untilAll(names, "stopped");
  client.send({ type: "stop_group", name: "g" });
  await stopped;
  return { start: up - begin, stop: performance.now() - up, before, during };
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

const theirs = await withoutManager();
const ours = await withManager();
printFigure({
  figure: "start-stop",
  unit: `ms until ${COUNT} processes are started and stopped again`,
  value: Math.round(ours.start + ours.stop),
  start: Math.round(ours.start),
  stop: Math.round(ours.stop),
  manager_mib: { before: ours.before.manager, with_all: ours.during.manager },
  daemon_mib: { before: ours.before.daemon, with_all: ours.during.daemon },
  peer: "child_process.spawn in a loop, without terminals",
  peer_value: Math.round(theirs.start + theirs.stop),
  peer_start: Math.round(theirs.start),
  peer_stop: Math.round(theirs.stop),
});
