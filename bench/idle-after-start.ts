// Processor time of the daemon while 1,000 processes that do nothing idle: in each window of 10 s of the first three minutes after their
// start. Peer: the manager in the same windows. `npx tsx bench/idle-after-start.ts`; MGR_BENCH_COUNT and MGR_BENCH_WINDOWS make it shorter.
import { LiveProcesses } from "./peers/live-processes.ts";
import { ours } from "./peers/ours.ts";
import { cpuMs } from "./support/cpu.ts";
import { printFigure, rounded, sleep } from "./support/figure.ts";

const COUNT = Number(process.env.MGR_BENCH_COUNT ?? 1_000);
const WINDOWS = Number(process.env.MGR_BENCH_WINDOWS ?? 18);
const WINDOW_MS = 10_000;
/** A start leaves garbage to collect and code to compile: that is not idling. */
const SETTLE_MS = 2_000;

using processes = new LiveProcesses(COUNT);
await using peer = ours(processes);
await Promise.all([peer.up(), processes.untilAllLive()]);
await sleep(SETTLE_MS);
const [manager = 0, daemon = 0] = peer.programs();
const windows = { manager: [] as number[], daemon: [] as number[] };
for (let window = 0; window < WINDOWS; window++) {
  const before = [cpuMs(manager), cpuMs(daemon)] as const;
  await sleep(WINDOW_MS);
  windows.manager.push(cpuMs(manager) - before[0]);
  windows.daemon.push(cpuMs(daemon) - before[1]);
}
const mean = (all: readonly number[]) => all.reduce((sum, each) => sum + each, 0) / all.length;
printFigure({
  figure: "idle after start",
  unit: `ms of the daemon's processor time, most in a window of 10 s of the first ${(WINDOWS * WINDOW_MS) / 60_000} minutes, ${COUNT} processes`,
  value: Math.max(...windows.daemon),
  mean: rounded(mean(windows.daemon), 0),
  later_mean: rounded(mean(windows.daemon.slice(-6)), 0),
  windows: windows.daemon,
  peer: "the manager",
  peer_value: Math.max(...windows.manager),
  peer_mean: rounded(mean(windows.manager), 0),
});
