// Milliseconds to create and dispose of an embedded manager on a fake host, three processes configured; beside it with
// their start and stop. Peer: five bare xstate actors created, started and stopped. `npx tsx bench/embedded-fake.ts`
import { createActor, createMachine } from "xstate";
import { builtLibrary } from "./support/built.ts";
import { percentile, printFigure, rounded } from "./support/figure.ts";

const ROUNDS = 300;
const CONFIG = {
  processes: {
    "g/db": { command: "db", ready: { regex: "open" } },
    "g/api": { command: "api", depends_on: { "g/db": { condition: "ready" as const } } },
    "g/web": { command: "web", depends_on: ["g/api"] },
  },
};

const { testing } = await builtLibrary();

async function create(): Promise<void> {
  await (await testing.createBench(CONFIG)).close();
}

async function run(): Promise<void> {
  const bench = await testing.createBench(CONFIG);
  await bench.until(bench.manager.group("g").start());
  await bench.until(bench.manager.group("g").stop());
  await bench.close();
}

const machine = createMachine({
  initial: "stopped",
  states: { stopped: { on: { start: "started" } }, started: { on: { stop: "stopped" } } },
});

async function bare(): Promise<void> {
  const actors = Array.from({ length: 5 }, () => createActor(machine).start());
  for (const actor of actors) actor.send({ type: "start" });
  for (const actor of actors) actor.stop();
}

async function times(work: () => Promise<void>): Promise<number[]> {
  const taken: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const begin = performance.now();
    await work();
    taken.push(performance.now() - begin);
  }
  return taken;
}

const first = performance.now();
await create();
const cold = performance.now() - first;
const cpuBefore = process.cpuUsage();
const created = await times(create);
const cpu = process.cpuUsage(cpuBefore);
const ran = await times(run);
const peer = await times(bare);
printFigure({
  figure: "embedded-fake",
  unit: "ms to create and dispose of an embedded manager with a fake host, p50",
  value: rounded(percentile(created, 0.5)),
  p99: rounded(percentile(created, 0.99)),
  processor_ms: rounded((cpu.user + cpu.system) / 1_000 / ROUNDS),
  the_first: rounded(cold),
  with_start_and_stop: rounded(percentile(ran, 0.5)),
  peer: "five bare xstate actors",
  peer_value: rounded(percentile(peer, 0.5), 3),
});
