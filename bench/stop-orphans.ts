// Processes that outlive the stop of their run: trees that ignore signals and fork, a hundred of them stopped at once.
// Peer: SIGTERM, a second later SIGKILL, to the process groups of the same programs. MGR_BENCH_STOPS: how many stops, 2,000 by default.
// `npx tsx bench/stop-orphans.ts`
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { printFigure, sleep } from "./support/figure.ts";
import { killLeft } from "./support/left-behind.ts";
import { BenchManager } from "./support/manager.ts";

const STOPS = Number(process.env.MGR_BENCH_STOPS ?? 2_000);
const TREES = 100;
const ROUNDS = Math.ceil(STOPS / TREES);
/** Of the peer, which is slower to leave one than it is quick to stop. */
const PEER_ROUNDS = Math.ceil(ROUNDS / 5);
const STOP_TIMEOUT_MS = 1_000;
/** Time for the trees to grow, milliseconds. */
const GROW_MS = 100;

/** Two fifths wait, two fifths fork all the time, the rest leaves children in sessions of their own behind. */
const LOOPS = ["sleep 86400", "sleep 86400", "sleep 0.03", "sleep 0.03", "(setsid sleep 86400 &); sleep 0.05"];
const programs = Array.from({ length: TREES }, (_, index) => {
  const loop = LOOPS[index % LOOPS.length];
  return ["bash", "-c", `trap '' TERM INT HUP; while :; do ${loop}; done`] as const;
});

interface Outcome {
  orphans: number;
  stopMs: number[];
}

async function withManager(): Promise<Outcome & { caught: number; afterEnd: number }> {
  const names = programs.map((_, index) => `g/p${index}`);
  const settings = { stop: { timeout: `${STOP_TIMEOUT_MS}ms` } };
  let marker = "";
  const outcome: Outcome & { caught: number } = { orphans: 0, stopMs: [], caught: 0 };
  {
    await using manager = await BenchManager.up(
      Object.fromEntries(names.map((name, index) => [name, { command: programs[index] ?? [], ...settings }])),
    );
    marker = (JSON.parse(readFileSync(`${manager.dir}/state/daemon.json`, "utf8")) as { stream_id: string }).stream_id;
    const client = await manager.connect();
    for (let round = 0; round < ROUNDS; round++) {
      const started = client.untilAll(names, "started");
      client.send({ type: "start_group", name: "g" });
      await started;
      await sleep(GROW_MS);
      const begin = performance.now();
      const stopped = client.untilAll(names, "stopped");
      client.send({ type: "stop_group", name: "g" });
      await stopped;
      outcome.stopMs.push(performance.now() - begin);
      outcome.orphans += killLeft(marker);
    }
    // What the daemon's safety net has found; it may have been quicker than we.
    outcome.caught = readFileSync(`${manager.dir}/state/daemon.log`, "utf8").split("left behind by a run").length - 1;
  }
  return { ...outcome, afterEnd: killLeft(marker) };
}

async function withGroups(): Promise<Outcome> {
  const marker = randomUUID();
  const outcome: Outcome = { orphans: 0, stopMs: [] };
  for (let round = 0; round < PEER_ROUNDS; round++) {
    const env = { PATH: process.env.PATH, MGR_RUN: `${marker}:${round}` };
    const leaders = programs.map(([program, ...args]) => spawn(program, args, { detached: true, stdio: "ignore", env }));
    await Promise.all(leaders.map((leader) => once(leader, "spawn")));
    await sleep(GROW_MS);
    const begin = performance.now();
    const ends = leaders.map((leader) => once(leader, "exit"));
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      for (const { pid } of leaders) signalGroup(pid, signal);
      if (signal === "SIGTERM") await sleep(STOP_TIMEOUT_MS);
    }
    await Promise.all(ends);
    outcome.stopMs.push(performance.now() - begin);
    outcome.orphans += killLeft(marker);
  }
  return outcome;
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch (error) {
    // All of it may have left the group, or ended.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function mean(values: readonly number[]): number {
  return Math.round(values.reduce((total, value) => total + value, 0) / values.length);
}

const theirs = await withGroups();
const ours = await withManager();
printFigure({
  figure: "stop-orphans",
  unit: `processes left of ${ROUNDS * TREES} stopped trees that ignore signals and fork, ${TREES} stopped at once`,
  value: ours.orphans,
  caught_by_the_safety_net: ours.caught,
  left_after_the_end: ours.afterEnd,
  stop_ms: mean(ours.stopMs),
  longest_stop_ms: Math.round(Math.max(...ours.stopMs)),
  peer: "SIGTERM, then SIGKILL, to process groups",
  peer_value: theirs.orphans,
  peer_stops: PEER_ROUNDS * TREES,
  peer_stop_ms: mean(theirs.stopMs),
});
