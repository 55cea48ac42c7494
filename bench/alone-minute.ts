// kill -9 of the manager, which nothing starts again; while it is away for a minute, 100 crashes of 20 processes without a restart delay; then the next
// manager. Milliseconds from a crash to the new pid once the host acts alone, and what of counters and history of runs is not as if a manager had
// been there. Needs `npm run build`. `npx tsx bench/alone-minute.ts`
import { readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { Instance } from "../test/e2e/support/instance.ts";
import { eventually } from "../test/e2e/support/wait.ts";
import { percentile, printFigure, rounded, sleep } from "./support/figure.ts";

const PROCESSES = 20;
const CRASHES = 100;
/** The host acts alone after 13 s at most; the crashes take the rest of the minute, milliseconds. */
const UNTIL_ALONE_MS = 14_000;
const PAUSE_MS = 450;

const restart = { policy: "on-failure", delay: 0, max_restarts: 1_000, window: "1h" } as const;
const names = Array.from({ length: PROCESSES }, (_, index) => `p${index}`);
/** Each notes its pid. In a configuration, `$$` is one dollar sign. */
const processes = Object.fromEntries(
  names.map((name) => [name, { command: ["sh", "-c", `echo $$$$ >> ${name}.pids; exec sleep 1000`], restart, autostart: true }]),
);
await using instance = new Instance({ processes });
const pidsOf = (name: string) =>
  readFileSync(join(instance.dir, `${name}.pids`), "utf8")
    .trim()
    .split("\n")
    .map(Number);

await instance.mgr("up", "--detach");
const first = await instance.connect();
const areStarted = async () => (await Promise.all(names.map((name) => first.process(name)))).every(({ state }) => state === "started");
await eventually("all run", areStarted);
instance.kill("manager");
await sleep(UNTIL_ALONE_MS);
const times: number[] = [];
for (let crash = 0; crash < CRASHES; crash++) {
  times.push(await crashOf(names[crash % PROCESSES] ?? ""));
  await sleep(PAUSE_MS);
}
await instance.mgr("up", "--detach");
const next = await instance.connect();
let wrong = 0;
for (const name of names) {
  const process = await eventually(`${name} is adopted`, async () => {
    const found = await next.process(name);
    return found.state === "started" ? found : null;
  });
  const { history } = (await next.ask({ type: "request_process_detail", name })) as unknown as {
    history: { pid: number; signal: string | null }[];
  };
  const expected = pidsOf(name).reverse();
  const signals = history.map(({ signal }) => signal);
  const isRight =
    process.restarts === CRASHES / PROCESSES &&
    process.pid === expected[0] &&
    history.map(({ pid }) => pid).join() === expected.join() &&
    signals.every((signal, index) => signal === (index === 0 ? null : "SIGKILL"));
  if (!isRight) {
    wrong++;
    console.error({ name, restarts: process.restarts, pid: process.pid, expected, history });
  }
}
printFigure({
  figure: "crash to new pid without a manager, p99",
  unit: "ms",
  value: rounded(percentile(times, 0.99)),
  p50: rounded(percentile(times, 0.5)),
  peer: "processes with wrong counters or history under the next manager",
  peer_value: wrong,
});

/** Kills a process, and measures until the next one has noted its pid. */
async function crashOf(name: string): Promise<number> {
  const pids = pidsOf(name);
  const noted = new Promise<void>((resolve) => {
    const watcher = watch(join(instance.dir, `${name}.pids`), () => {
      if (pidsOf(name).length === pids.length) return;
      watcher.close();
      resolve();
    });
  });
  const began = performance.now();
  process.kill(pids.at(-1) ?? 0, "SIGKILL");
  await noted;
  return performance.now() - began;
}
