// What network statistics cost while a page looks at them: processor time of the manager and of each daemon, percent of a core, with 20 hosts that
// are sampled every second, above what they take when no one looks. Peer: reading /proc/net/dev once a second. `npx tsx bench/network-stats.ts`
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cpuMs } from "./support/cpu.ts";
import { printFigure, rounded, sleep } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";

const HOSTS = Number(process.env.MGR_BENCH_HOSTS ?? 20);
const SETTLE_MS = 3_000;
const MEASURE_MS = Number(process.env.MGR_BENCH_SECONDS ?? 30) * 1_000;
const PERIOD_MS = 1_000;
/** Samples before: programs that have just started are slower. */
const WARM_UP = 10;

const hosts = Array.from({ length: HOSTS - 1 }, (_, index) => `h${index}`);
await using manager = await BenchManager.up({}, { hosts });
const states = [join(manager.dir, "state")];
for (const host of hosts) states.push(await manager.daemon(host));
const pidOf = (state: string, program: "manager" | "daemon") =>
  (JSON.parse(readFileSync(join(state, `${program}.lock`), "utf8")) as { pid: number }).pid;
const daemons = states.map((state) => pidOf(state, "daemon"));
const pids = [pidOf(states[0] ?? "", "manager"), ...daemons];
const client = await manager.connect();
for (;;) {
  const { host_list } = await client.ask({ type: "get_snapshot" });
  if ((host_list as { daemon_ready: boolean }[]).every(({ daemon_ready }) => daemon_ready)) break;
  await sleep(200);
}

/** Of each program, the percentage of a core; how often `act` was done, and the time, milliseconds. */
async function share(act: () => Promise<void>): Promise<{ percent: number[]; acts: number; passed: number }> {
  await sleep(SETTLE_MS);
  const [before, begin] = [pids.map(cpuMs), performance.now()];
  let acts = 0;
  while (performance.now() - begin < MEASURE_MS) {
    await act();
    acts++;
    await sleep(Math.max(0, begin + acts * PERIOD_MS - performance.now()));
  }
  const passed = performance.now() - begin;
  return { percent: pids.map((pid, index) => ((cpuMs(pid) - (before[index] ?? 0)) * 100) / passed), acts, passed };
}

const answers: number[] = [];
let isWarm = false;
const idle = await share(async () => {});
const look = async () => {
  const asked = performance.now();
  const { stats } = await client.ask({ type: "request_network_stats", sample_mode: "previous" });
  answers.push(performance.now() - asked);
  const sampled = new Set((stats as { interfaces: { host: string }[] }).interfaces.map(({ host }) => host));
  if (isWarm && sampled.size !== HOSTS) throw new Error(`only ${sampled.size} of ${HOSTS} hosts were sampled`);
};
for (let count = 0; count < WARM_UP; count++) await look();
answers.splice(0);
isWarm = true;
const watched = await share(look);
// On a busy machine an answer takes more than a second: what counts is the processor time of a sample.
const perSecond = (watched.acts * PERIOD_MS) / watched.passed;
const extra = watched.percent.map((percent, index) => (percent - (idle.percent[index] ?? 0)) / perSecond);
const [ofManager = 0, ...ofDaemons] = extra;
const began = process.cpuUsage();
for (let count = 0; count < MEASURE_MS / PERIOD_MS; count++) readFileSync("/proc/net/dev", "latin1");
const { user, system } = process.cpuUsage(began);

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
printFigure({
  figure: "network-stats",
  unit: `% of a core that the manager takes more while ${HOSTS} hosts are sampled every second`,
  value: rounded(ofManager),
  peer: "reading /proc/net/dev once a second",
  peer_value: rounded((user + system) / 1_000 / (MEASURE_MS / 100)),
  each_daemon: { mean: rounded(mean(ofDaemons)), most: rounded(Math.max(...ofDaemons)) },
  when_no_one_looks: { manager: rounded(idle.percent[0] ?? 0), each_daemon: rounded(mean(idle.percent.slice(1))) },
  samples: watched.acts,
  answer_ms: rounded(mean(answers), 1),
});
