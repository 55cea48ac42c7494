// Time from the first spawn to the last "up" of N processes under one host, and to stop them. `npx tsx bench/start-processes.ts [n]`
import { PLAIN_RUN, type RunSpec } from "../src/contract/run.ts";
import { Host } from "../src/daemon/host.ts";

const count = Number(process.argv[2] ?? 200);
const spec = (name: string): RunSpec => ({
  name,
  command: "sleep 1000",
  program: { kind: "exec", argv: ["/bin/sh", "-c", "echo up; exec sleep 1000"] },
  cwd: "/",
  base_dir: "",
  environment: {},
  pass_environment: [],
  inherited: null,
  terminal: { rows: 24, cols: 80, backlog: 4_194_304 },
  ready: { kind: "regex", pattern: "up" },
  stop: [{ signal: "SIGTERM", timeout_ms: 5_000 }],
  stop_rank: 0,
  ...PLAIN_RUN,
});

const host = new Host({ host: "bench", subreaper: false, log: (entry) => console.log(entry.msg) });
let ready = 0;
let allReady = () => {};
const whenReady = new Promise<void>((resolve) => {
  allReady = resolve;
});
host.listen({
  onEvent: ({ kind }) => {
    if (kind === "ready" && ++ready === count) allReady();
  },
});
const { session } = await host.request("hello", { epoch: 1, manager_pid: process.pid, contracts: [1] });
const beat = setInterval(() => host.heartbeat(session), 1_000);
const begin = performance.now();
for (let index = 0; index < count; index++) {
  await host.request("spawn", { session, run_id: `1-${index + 1}`, spec: spec(`p${index}`), memo: "" });
}
const spawned = performance.now();
await whenReady;
const up = performance.now();
await host.stopAll();
const stopped = performance.now();
await host.close();
clearInterval(beat);
console.log(
  `${count} processes: spawned in ${(spawned - begin).toFixed(0)} ms, all ready after ${(up - begin).toFixed(0)} ms, all stopped in ${(stopped - up).toFixed(0)} ms`,
);
