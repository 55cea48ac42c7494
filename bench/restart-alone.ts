// Milliseconds from a crash to the new pid on a host that has no manager: 100 crashes among 20 processes, policy without delay. Peer: the same
// crashes while a manager with a session requests each restart itself. `npx tsx bench/restart-alone.ts`
import { PLAIN_RUN, type RunReport, type RunSpec } from "../src/contract/run.ts";
import { Host } from "../src/daemon/host.ts";
import { percentile, printFigure, rounded, sleep } from "./support/figure.ts";

const PROCESSES = 20;
const CRASHES = 100;
/** Pause between two crashes, milliseconds: the crashes take half a minute. */
const PAUSE_MS = 300;

const living = new Map<string, RunReport>();
let runs = 0;
let wake = () => {};
const host = new Host({
  host: "bench",
  subreaper: true,
  log: ({ msg }) => {
    if (msg.startsWith("no manager")) wake();
  },
});

function spec(name: string, isSupervised: boolean): RunSpec {
  const restart = {
    policy: "always",
    delay: 0,
    factor: 1,
    max_delay: 0,
    max_restarts: 1_000,
    window: 300_000,
    reset_after: 60_000,
  } as const;
  return {
    name,
    command: "sleep 1000",
    program: { kind: "exec", argv: ["sleep", "1000"] },
    cwd: "/",
    base_dir: "",
    environment: {},
    pass_environment: [],
    inherited: null,
    terminal: { rows: 24, cols: 80, backlog: 65_536 },
    ready: null,
    stop: [{ signal: "SIGTERM", timeout_ms: 5_000 }],
    stop_rank: 0,
    ...PLAIN_RUN,
    ...(isSupervised ? { supervision: { restart, success_exit_codes: [0], ready_timeout_ms: null, depends_on: [] } } : {}),
  };
}

/** Kills the processes in turn, and measures until each has another pid. */
async function crashes(prefix: string): Promise<number[]> {
  const times: number[] = [];
  for (let crash = 0; crash < CRASHES; crash++) {
    const name = `${prefix}${crash % PROCESSES}`;
    const pid = living.get(name)?.pid ?? 0;
    const began = performance.now();
    process.kill(pid, "SIGKILL");
    while (living.get(name)?.pid === pid) await new Promise<void>((resolve) => (wake = resolve));
    times.push(performance.now() - began);
    await sleep(PAUSE_MS);
  }
  return times;
}

const { session } = await host.request("hello", { epoch: 1, manager_pid: process.pid, contracts: [1] });
const start = (name: string) =>
  host.request("spawn", { session, run_id: `1-${++runs}`, spec: spec(name, name.startsWith("alone")), memo: "" });
host.listen({
  onEvent: ({ kind, run }) => {
    if (kind === "spawned") living.set(run.name, run);
    if (run.extinct && run.name.startsWith("peer")) void start(run.name);
    wake();
  },
});
const heart = setInterval(() => host.heartbeat(session), 1_000);
for (let index = 0; index < PROCESSES; index++) await Promise.all([start(`peer${index}`), start(`alone${index}`)]);
const peer = await crashes("peer");
clearInterval(heart);
await new Promise<void>((resolve) => (wake = resolve));
const alone = await crashes("alone");
await host.close();
printFigure({
  figure: "restart of a host without a manager, p99",
  unit: "ms",
  value: rounded(percentile(alone, 0.99)),
  p50: rounded(percentile(alone, 0.5)),
  peer: "restart that a manager in the same process requests, p99",
  peer_value: rounded(percentile(peer, 0.99)),
});
