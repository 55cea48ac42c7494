// Milliseconds from the request to restart one of 200 running processes until its new run is reported as started, and the processor
// time of manager and daemon for each restart; the same without the audit. Peer: kill, wait and spawn again in one program, without a terminal or a tree.
// `npx tsx bench/restart-one.ts`; MGR_BENCH_RESTARTS is the number of restarts.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Frame } from "./support/client.ts";
import { percentile, printFigure, rounded, sleep } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";

const COUNT = 200;
const RESTARTS = Number(process.env.MGR_BENCH_RESTARTS ?? 100);
/** Between restarts, so that each finds a quiet manager. */
const QUIET_MS = 30;

interface Ours {
  times: number[];
  manager: number;
  daemon: number;
}

async function ours(audit: boolean): Promise<Ours> {
  const names = Array.from({ length: COUNT }, (_, index) => `g/p${index}`);
  const processes = Object.fromEntries(names.map((name) => [name, { command: ["sleep", "1000"] }]));
  await using manager = await BenchManager.up(processes, { audit: { enabled: audit } });
  const client = await manager.connect();
  const all = client.untilAll(names, "started");
  client.send({ type: "start_group", name: "g" });
  await all;
  await sleep(1_000);
  const times: number[] = [];
  const before = manager.cpu();
  for (let round = 0; round < RESTARTS; round++) {
    const name = names[(round * 7) % COUNT] ?? "";
    const begin = performance.now();
    const restarted = client.until(isRestarted(name));
    client.send({ type: "restart_process", name });
    await restarted;
    times.push(performance.now() - begin);
    await sleep(QUIET_MS);
  }
  const after = manager.cpu();
  return { times, manager: (after.manager - before.manager) / RESTARTS, daemon: (after.daemon - before.daemon) / RESTARTS };
}

/** It is started already: what counts is what comes after its stop. */
function isRestarted(name: string): (frame: Frame) => boolean {
  let isStopping = false;
  return (frame) => {
    const process = frame.process as { name: string; state: string } | undefined;
    if (frame.type !== "process_upsert" || process?.name !== name) return false;
    isStopping ||= process.state === "stopping";
    return isStopping && process.state === "started";
  };
}

async function bare(): Promise<number[]> {
  const start = () => spawn("sleep", ["1000"], { stdio: "ignore" });
  const children: ChildProcess[] = Array.from({ length: COUNT }, start);
  await Promise.all(children.map((child) => once(child, "spawn")));
  const times: number[] = [];
  for (let round = 0; round < RESTARTS; round++) {
    const index = (round * 7) % COUNT;
    const old = children[index];
    if (old === undefined) continue;
    const begin = performance.now();
    const ended = once(old, "exit");
    old.kill("SIGTERM");
    await ended;
    const child = start();
    children[index] = child;
    await once(child, "spawn");
    times.push(performance.now() - begin);
  }
  for (const child of children) child.kill("SIGKILL");
  return times;
}

const theirs = await bare();
const audited = await ours(true);
const unaudited = await ours(false);
const figures = ({ times, manager, daemon }: Ours) => ({
  p99: rounded(percentile(times, 0.99), 1),
  cpu_ms: { manager: rounded(manager), daemon: rounded(daemon) },
});
printFigure({
  figure: "restart-one",
  unit: `ms to restart one of ${COUNT} processes, p50`,
  value: rounded(percentile(audited.times, 0.5), 1),
  ...figures(audited),
  without_audit: { p50: rounded(percentile(unaudited.times, 0.5), 1), ...figures(unaudited) },
  peer: "kill, wait and spawn in one program, without terminals",
  peer_value: rounded(percentile(theirs, 0.5), 1),
  peer_p99: rounded(percentile(theirs, 0.99), 1),
});
