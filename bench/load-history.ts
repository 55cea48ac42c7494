// Cost of sampling 1,000 process trees every 10 s, with their history on disk: percent of a core, and the longest time without a break.
// Peer: `pidstat 10` with the same figures of the same processes. `npx tsx bench/load-history.ts`
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/base/timing/clock.ts";
import { TaskOwners } from "../src/daemon/tree/task-owners.ts";
import { Histories } from "../src/features/load-history/host/histories.ts";
import { MachineFigures } from "../src/features/load-history/host/machine-figures.ts";
import { Sampler } from "../src/features/load-history/host/sampler.ts";
import { HOST_SERIES, SAMPLE_MS } from "../src/features/load-history/series.ts";
import { cpuMs } from "./support/cpu.ts";
import { printFigure, rounded, sleep } from "./support/figure.ts";

const TREES = Number(process.env.MGR_BENCH_COUNT ?? 1_000);
const SAMPLES = Number(process.env.MGR_BENCH_SAMPLES ?? 6);
/** Samples before: the files are created within the first minute. */
const WARM_UP = 8;

const starter = spawn("/bin/sh", ["-c", `i=0; while [ $i -lt ${TREES} ]; do sleep 100000 & echo $!; i=$((i+1)); done; echo; wait`], {
  stdio: ["ignore", "pipe", "inherit"],
  detached: true,
});
let text = "";
starter.stdout.on("data", (data) => {
  text += data;
});
while (!text.endsWith("\n\n")) await once(starter.stdout, "data");
const pids = text.trim().split("\n").map(Number);
const names = new Map(pids.map((pid, index) => [pid, `p${index}`]));
const folder = mkdtempSync(join(tmpdir(), "mgr-load-history-"));
const machine = new MachineFigures(folder);
const histories = new Histories({
  clock: systemClock,
  log: (_level, msg) => console.error(msg),
  stateFolder: folder,
  machineSeries: HOST_SERIES.length + machine.cpus,
});
await histories.begun;
const sampler = new Sampler({
  clock: systemClock,
  owners: () =>
    new TaskOwners(
      ({ pid }) => names.get(pid) ?? null,
      (name) => name,
    ),
  runs: new Map(pids.map((pid, index) => [`p${index}`, { runId: `1-${index}`, pid }])),
  histories,
  machine,
  watched: () => new Set(),
  sampled: () => {},
  warn: (msg) => console.error(msg),
});

await sleep(SAMPLE_MS * WARM_UP);
const peer = spawn("pidstat", ["-u", "-r", "-d", "-w", "-v", "-p", pids.join(","), "10", String(SAMPLES)], {
  stdio: ["ignore", "ignore", "inherit"],
});
// CPU time from one turn of the event loop to the next: how long a sample holds up everything else.
let longest = 0;
let isWatching = true;
let last: NodeJS.CpuUsage | null = null;
const watch = () => {
  const now = process.cpuUsage();
  // The thread that writes files is not the event loop; what it uses between two turns is small.
  if (last !== null) longest = Math.max(longest, (now.user + now.system - last.user - last.system) / 1_000);
  last = now;
};
const begin = performance.now();
const before = process.cpuUsage();
await sleep(SAMPLE_MS * SAMPLES - 500);
const { user, system } = process.cpuUsage(before);
const percent = (user + system) / 10 / (performance.now() - begin);
const theirs = (peer.pid === undefined ? Number.NaN : cpuMs(peer.pid) * 100) / (performance.now() - begin);

const turns = (async () => {
  while (isWatching) {
    await new Promise((resolve) => setImmediate(resolve));
    watch();
  }
})();
await sleep(SAMPLE_MS);
isWatching = false;
await turns;
const measured = [...histories.running()].filter(([, { latest }]) => latest?.figures[1] != null).length;
if (measured !== TREES) throw new Error(`${measured} of ${TREES} trees were measured`);
sampler.close();
await histories.close();
process.kill(-(starter.pid ?? 0), "SIGKILL");
peer.kill("SIGKILL");
rmSync(folder, { recursive: true });

printFigure({
  figure: "load history",
  unit: `% of a core to sample ${TREES} process trees every 10 s, and to keep it`,
  value: rounded(percent),
  longest_without_a_break: rounded(longest),
  peer: "pidstat -urdwv 10 on the same processes",
  peer_value: rounded(theirs),
});
